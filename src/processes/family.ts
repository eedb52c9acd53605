import { bornAt, entryOf, pidsOfAll, type TableEntry } from "./process-table.ts";

/** Who is whose child. Linux only: elsewhere nobody has a family. */

/** Hooks that have one deadline are ended in one turn, and look at one table. */
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

/** Descendants of a group's members that are in the group no more. To be asked while their parents live. */
export function familyOf(group: number): readonly TableEntry[] {
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

/** Whoever has the number by now and was born at another time is somebody else. */
export function signalAll(entries: Iterable<TableEntry>, signal: "SIGTERM" | "SIGKILL"): void {
  for (const { pid, born } of entries) {
    if (pid === process.pid || bornAt(pid) !== born) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile, or has become another user's.
    }
  }
}
