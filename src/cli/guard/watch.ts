import { type FSWatcher, watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeThrown } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { shownPath } from "../problem-lines.ts";
import type { Console } from "../verb.ts";
import { findTargets, type Target, type TestedGuard } from "./tested-guard.ts";

/** `hookbox test --watch`: repeats the tests after every change. */

/** Milliseconds without a change before the tests run, because editors and checkouts write in several steps. */
const SETTLE_MS = 80;

/** Files that builds and editors write. */
const IGNORED = /(^\.)|(\.wasm(\.[0-9a-f]+)?$)|(~$)|(^target$)|(^node_modules$)/;

const CLEAR = "\u001b[2J\u001b[3J\u001b[H";

/**
 * Calls `run`, which tests and reports, after every change. Prints an error that `run` throws, except in the first run.
 * Resolves when the user interrupts the watch.
 */
export async function watchTargets(
  path: string,
  run: (targets: readonly Target[]) => Promise<readonly TestedGuard[]>,
  console: Console,
): Promise<void> {
  const interrupted = console.untilInterrupted().then(() => "interrupted" as const);
  for (let round = 0; ; round++) {
    if (console.colour) console.write(CLEAR);
    // Watching starts before the run, so that a file saved during the run counts.
    const folders = await foldersOf(path);
    const watched = new Changes(folders, path);
    try {
      const targets = await findTargets(path);
      const tested = await run(targets);
      watched.add(tested.flatMap(({ files }) => files.map((file) => dirname(file))));
    } catch (error) {
      // In the first run the error is a wrong command line. In a later run, an editor may be saving a file.
      if (round === 0) throw error;
      console.write(`  ${cleanLine(describeThrown(error))}\n`);
    }
    console.write(`  Waiting for changes in ${shownPath(path, console.cwd)}. Ctrl-C ends it.\n`);
    const next = await Promise.race([watched.next(), interrupted]);
    watched.close();
    if (next === "interrupted") return;
  }
}

/** Returns the path itself and its subfolders that may contain guards or parts of guards. */
async function foldersOf(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const inner = entries.filter((entry) => entry.isDirectory() && !IGNORED.test(entry.name));
    const nested = await Promise.all(inner.map(({ name }) => readdir(join(path, name), { withFileTypes: true })));
    return [
      path,
      ...inner.map(({ name }) => join(path, name)),
      // The `src` folders of Rust guards, if the path is a folder of guards.
      ...inner.flatMap(({ name }, index) =>
        (nested[index] ?? [])
          .filter((entry) => entry.isDirectory() && !IGNORED.test(entry.name))
          .map((entry) => join(path, name, entry.name)),
      ),
    ];
  } catch {
    return [dirname(path)];
  }
}

class Changes {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #module: boolean;
  #timer: NodeJS.Timeout | undefined;
  #settle: () => void = () => {};
  readonly #changed: Promise<void>;

  constructor(folders: readonly string[], path: string) {
    this.#changed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#module = path.endsWith(".wasm");
    this.add(folders);
  }

  add(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, (_, name) => this.#onChange(name));
        watcher.on("error", () => {});
        this.#watchers.set(folder, watcher);
      } catch {
        // The folder was removed, which the watcher of its parent reports.
      }
    }
  }

  next(): Promise<void> {
    return this.#changed;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #onChange(name: string | null): void {
    if (name !== null && !(this.#module && name.endsWith(".wasm")) && IGNORED.test(name)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#settle, SETTLE_MS);
  }
}
