import { type FSWatcher, watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeThrown } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { shownPath } from "../problem-lines.ts";
import type { Console } from "../verb.ts";
import { findTargets, type Target, type TestedGuard } from "./tested-guard.ts";

/** Tests again with every change. */

/** Editors write a file in several steps, and a checkout many files. */
const SETTLE_MS = 80;

/** What builds write, beside what people do. */
const IGNORED = /(^\.)|(\.wasm(\.[0-9a-f]+)?$)|(~$)|(^target$)|(^node_modules$)/;

const CLEAR = "\u001b[2J\u001b[3J\u001b[H";

/** Resolves when somebody interrupts it. `run` tests and reports; what it throws is reported, and waited on. */
export async function watchTargets(
  path: string,
  run: (targets: readonly Target[]) => Promise<readonly TestedGuard[]>,
  console: Console,
): Promise<void> {
  const interrupted = console.untilInterrupted().then(() => "interrupted" as const);
  for (let turn = 0; ; turn++) {
    if (console.colour) console.write(CLEAR);
    // Watched from before the run: what is saved meanwhile counts.
    const folders = await foldersOf(path);
    const watched = new Changes(folders, path);
    try {
      const targets = await findTargets(path);
      const tested = await run(targets);
      watched.add(tested.flatMap(({ files }) => files.map((file) => dirname(file))));
    } catch (error) {
      // What is a mistake on the command line at first may later be a file that is about to be saved.
      if (turn === 0) throw error;
      console.write(`  ${cleanLine(describeThrown(error))}\n`);
    }
    console.write(`  Waiting for changes in ${shownPath(path, console.cwd)}. Ctrl-C ends it.\n`);
    const next = await Promise.race([watched.next(), interrupted]);
    watched.close();
    if (next === "interrupted") return;
  }
}

/** The path itself, and the folders in it that have guards or parts of them. */
async function foldersOf(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const inner = entries.filter((entry) => entry.isDirectory() && !IGNORED.test(entry.name));
    const nested = await Promise.all(inner.map(({ name }) => readdir(join(path, name), { withFileTypes: true })));
    return [
      path,
      ...inner.map(({ name }) => join(path, name)),
      // The `src` of a guard in Rust, where guards are in folders of a folder.
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
        const watcher = watch(folder, (_, name) => this.#hear(name));
        watcher.on("error", () => {});
        this.#watchers.set(folder, watcher);
      } catch {
        // It went away meanwhile, which the folder above it tells.
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

  #hear(name: string | null): void {
    if (name !== null && !(this.#module && name.endsWith(".wasm")) && IGNORED.test(name)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#settle, SETTLE_MS);
  }
}
