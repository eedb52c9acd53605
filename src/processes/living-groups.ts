/** A process group that this process started and that may be running. */
interface LivingGroup {
  /** See `ProcessGroup.stop`. */
  stop(graceMs: number): Promise<void>;
  /** Sends SIGKILL immediately, for a process that is about to end. */
  kill(): void;
}

/** All groups that may have processes, except groups that are left running on purpose. */
export const livingGroups = new Set<LivingGroup>();

/** Sends SIGTERM to all groups, and SIGKILL after `graceMs`. Resolves when they have ended or cannot be ended. */
export async function stopLivingGroups(graceMs: number): Promise<void> {
  await Promise.all([...livingGroups].map((group) => group.stop(graceMs)));
}

/** Sends SIGKILL to all groups without waiting. The last call before this process ends. */
export function killLivingGroups(): void {
  for (const group of livingGroups) group.kill();
}
