import { createHash, randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { identityOf, isAtWork } from "../processes/process-identity.ts";

/**
 * Returns a name of a process that holds or waits for a mutex: `PID-BORN-MACHINE-NONCE`. Each name is used once.
 * Whether a holder has ended is a guess that only saves time, because a wrongly replaced holder can no longer save.
 */
export function newHolder(): string {
  const { pid, born } = identityOf(process.pid);
  return `${pid}-${born}-${machine()}-${randomBytes(8).toString("hex")}`;
}

/** Whether the process has ended. `false` if unknown, e.g. for a process of another machine or container. */
export function hasEnded(holder: string): boolean {
  const [pid, born = "", where] = holder.split("-");
  return where === machine() && !isAtWork({ pid: Number(pid), born });
}

export function pidOf(holder: string): string {
  return holder.slice(0, holder.indexOf("-"));
}

let known: string | undefined;

/** Returns an id of the machine and its process namespace, because process ids are unique only within these. */
function machine(): string {
  if (known === undefined) {
    let namespace = "";
    try {
      namespace = readlinkSync("/proc/self/ns/pid");
    } catch {
      // Only Linux has process namespaces.
    }
    known = createHash("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 12);
  }
  return known;
}
