import { readFileSync } from "node:fs";

/** Whether a number still is the process that it was. */

/** A process that is dead and not yet buried is not at work. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^[ZX]/.test(statusOf(pid));
}

/** When a process was born, in the system's own words; `undefined` where it does not say. */
export function bornAt(pid: number): string | undefined {
  return statusOf(pid).split(" ")[19];
}

/** From the state on; what stands before it, the program's name, may hold anything. */
function statusOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2);
  } catch {
    return "";
  }
}
