import { bornAt, isAlive } from "./process-table.ts";

/** One process, also after its number was given to another one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process was born, in the system's own words. Empty where the system does not say, or the process had ended. */
  readonly born: string;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, born: bornAt(pid) ?? "" };
}

/** Whether this very process is at work. Where the system says nothing of births, any process with the number counts. */
export function isAtWork({ pid, born }: ProcessIdentity): boolean {
  return isAlive(pid) && (bornAt(pid) ?? "") === born;
}

/** Whether the number was given to another process since. A number that no process has was not. */
export function isReplaced({ pid, born }: ProcessIdentity): boolean {
  const bearer = bornAt(pid);
  return bearer !== undefined && bearer !== born;
}
