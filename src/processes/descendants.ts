import { bornAt, entryOf, pidsOfAll, type TableEntry } from "./process-table.ts";

/** Finds the descendants of processes. Finds none on systems other than Linux. */

/** The table of this turn of the event loop. Hooks with the same timeout end in the same turn, so they share it. */
let tableNow: readonly TableEntry[] | undefined;

function tableOfNow(): readonly TableEntry[] {
  if (tableNow === undefined) {
    tableNow = pidsOfAll().flatMap((pid) => entryOf(pid) ?? []);
    setImmediate(() => {
      tableNow = undefined;
    });
  }
  return tableNow;
}

/** Returns descendants of a group's members that have left the group. Call this while their parents are alive. */
export function descendantsOf(group: number): readonly TableEntry[] {
  const isMember = (entry: TableEntry): boolean => entry.group === group;
  return withDescendants(tableOfNow(), isMember).filter((entry) => !isMember(entry));
}

export function withDescendants<Entry extends TableEntry>(
  table: readonly Entry[],
  isRoot: (entry: Entry) => boolean,
): readonly Entry[] {
  const family = new Set(table.filter(isRoot));
  for (const { pid } of family) for (const entry of table) if (entry.parent === pid) family.add(entry);
  return [...family];
}

/** Sends a signal to each process, unless its id now belongs to a process that started at another time. */
export function signalAll(entries: Iterable<TableEntry>, signal: "SIGTERM" | "SIGKILL"): void {
  for (const { pid, born } of entries) {
    if (pid === process.pid || bornAt(pid) !== born) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended, or its id now belongs to another user's process.
    }
  }
}
