import { setImmediate as nextTurn } from "node:timers/promises";
import { signalAll, withDescendants } from "./family.ts";
import { marksIn } from "./hook-mark.ts";
import { entryOf, ownEnvironmentOf, pidsOfAll, type TableEntry } from "./process-table.ts";

/**
 * What a hook has started and is in its process group no more: by `setsid`, mostly. Known by the mark in its environment,
 * or by being a descendant of one that is known. Linux only: elsewhere nobody is ever found.
 */
export class Runaways {
  readonly #mark: string;
  /** The group's number, as long as that is the group's. */
  readonly #group: () => number | undefined;
  #found: readonly TableEntry[];
  /** One that tidies up is not told to do so twice. */
  readonly #told: Set<string>;

  /** `told`: those that are known already, and have their SIGTERM. */
  constructor(mark: string, group: () => number | undefined, told: readonly TableEntry[]) {
    this.#mark = mark;
    this.#group = group;
    this.#found = told;
    this.#told = new Set(told.map(identity));
  }

  get areLeft(): boolean {
    return this.#found.some(isStill);
  }

  /** To those that are found now, and those that were before. */
  async terminate(): Promise<void> {
    await this.#find();
    signalAll(
      this.#found.filter((entry) => !this.#told.has(identity(entry))),
      "SIGTERM",
    );
  }

  /** Again and again, for each may have started another one meanwhile. Resolves to whether nobody is found any more. */
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

/** So many are read before somebody else has a turn. */
const ENTRIES_A_TURN = 32;

let next: Promise<readonly MarkedEntry[]> | undefined;

/** Begun after the call, and shared by all that call before it begins. */
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
