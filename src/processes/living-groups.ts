/** A group of processes that this process has started, and that may be running. */
interface LivingGroup {
  /** See `ProcessGroup.stop`. */
  stop(graceMs: number): Promise<void>;
  /** SIGKILL at once, for a process that is about to end. */
  kill(): void;
}

/** On the global object: each bundle of the command line has its own copy of this file, and one of them ends the process. */
const KEY: unique symbol = Symbol.for("hookbox.living-groups") as never;
const shared = globalThis as { [KEY]?: Set<LivingGroup> };

/** All groups that are not known to be empty, and are not left running on purpose. */
export function livingGroups(): Set<LivingGroup> {
  shared[KEY] ??= new Set();
  return shared[KEY];
}

/** SIGTERM to all, and SIGKILL after the grace period. Resolves when they are gone, or nothing more can be done. */
export async function stopLivingGroups(graceMs: number): Promise<void> {
  await Promise.all([...livingGroups()].map((group) => group.stop(graceMs)));
}

/** Without a wait: the last thing before this process ends. */
export function killLivingGroups(): void {
  for (const group of livingGroups()) group.kill();
}
