import { bornAt, isAlive } from "./process-table.ts";

/** Identifies one process, even if its id is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time of the process in the system's own form. Empty if the system reports none or the process ended. */
  readonly born: string;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, born: bornAt(pid) ?? "" };
}

/** Whether this process is running. If the system reports no start times, any process with the id counts. */
export function isAtWork({ pid, born }: ProcessIdentity): boolean {
  return isAlive(pid) && (bornAt(pid) ?? "") === born;
}

/** Whether another process has the id now. Returns `false` if no process has the id. */
export function isReplaced({ pid, born }: ProcessIdentity): boolean {
  const bearer = bornAt(pid);
  return bearer !== undefined && bearer !== born;
}
