/** A process group that this process started and that may be running. */
interface LivingGroup {
  /** See `ProcessGroup.stop`. */
  stop(graceMs: number): Promise<void>;
  /** Sends SIGKILL immediately, for a process that is about to end. */
  kill(): void;
}

/** The groups' key in the global object, because each bundle of the command line has a copy of this file. */
const KEY: unique symbol = Symbol.for("hookbox.living-groups") as never;
const shared = globalThis as { [KEY]?: Set<LivingGroup> };

/** Returns all groups that may have processes, except groups that are left running on purpose. */
export function livingGroups(): Set<LivingGroup> {
  shared[KEY] ??= new Set();
  return shared[KEY];
}

/** Sends SIGTERM to all groups, and SIGKILL after `graceMs`. Resolves when they have ended or cannot be ended. */
export async function stopLivingGroups(graceMs: number): Promise<void> {
  await Promise.all([...livingGroups()].map((group) => group.stop(graceMs)));
}

/** Sends SIGKILL to all groups without waiting. The last call before this process ends. */
export function killLivingGroups(): void {
  for (const group of livingGroups()) group.kill();
}
