import { setImmediate as nextTurn } from "node:timers/promises";
import { signalAll, withDescendants } from "./descendants.ts";
import { marksIn } from "./hook-mark.ts";
import { entryOf, ownEnvironmentOf, pidsOfAll, type TableEntry } from "./process-table.ts";

/**
 * Processes that a hook started and that have left its process group, mostly by `setsid`. They are found by the mark in
 * their environment, or as descendants of a known process. On systems other than Linux, none are found.
 */
export class EscapedProcesses {
  readonly #mark: string;
  /** Returns the group's id while the group exists. */
  readonly #group: () => number | undefined;
  #found: readonly TableEntry[];
  /** Processes that already got SIGTERM. A second SIGTERM could interrupt their cleanup. */
  readonly #told: Set<string>;

  /** `told` are known processes that already got SIGTERM. */
  constructor(mark: string, group: () => number | undefined, told: readonly TableEntry[]) {
    this.#mark = mark;
    this.#group = group;
    this.#found = told;
    this.#told = new Set(told.map(identity));
  }

  get areLeft(): boolean {
    return this.#found.some(isStill);
  }

  /** Sends SIGTERM to all found processes that did not get SIGTERM yet. */
  async terminate(): Promise<void> {
    await this.#find();
    signalAll(
      this.#found.filter((entry) => !this.#told.has(identity(entry))),
      "SIGTERM",
    );
  }

  /** Sends SIGKILL repeatedly, because each process may have started another. Resolves to whether none is left. */
  async kill(): Promise<boolean> {
    signalAll(this.#found, "SIGKILL");
    await this.#find();
    signalAll(this.#found, "SIGKILL");
    return this.#found.length === 0;
  }

  async #find(): Promise<void> {
    const table = await markedTable();
    const group = this.#group();
    const known = new Set(this.#found.map(identity));
    const isRoot = (entry: MarkedEntry): boolean =>
      entry.group === group || known.has(identity(entry)) || entry.marks.includes(this.#mark);
    this.#found = withDescendants(table, isRoot).filter((entry) => entry.group !== group && !entry.isDead);
  }
}

interface MarkedEntry extends TableEntry {
  readonly marks: readonly string[];
}

function identity({ pid, born }: TableEntry): string {
  return `${pid} ${born}`;
}

function isStill({ pid, born }: TableEntry): boolean {
  const now = entryOf(pid);
  return now !== undefined && now.born === born && !now.isDead;
}

/** How many entries are read before the event loop runs other work. */
const ENTRIES_A_TURN = 32;

let next: Promise<readonly MarkedEntry[]> | undefined;

/** Reads the table in a later turn of the event loop. All earlier calls share the result. */
function markedTable(): Promise<readonly MarkedEntry[]> {
  next ??= nextTurn().then(() => {
    next = undefined;
    return readMarkedTable();
  });
  return next;
}

async function readMarkedTable(): Promise<readonly MarkedEntry[]> {
  const table: MarkedEntry[] = [];
  for (const [index, pid] of pidsOfAll().entries()) {
    if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await nextTurn();
    const entry = entryOf(pid);
    if (entry !== undefined) table.push({ ...entry, marks: marksIn(ownEnvironmentOf(pid)) });
  }
  return table;
}
