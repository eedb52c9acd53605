import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import type { StateExports } from "../../src/sandbox/admission/rewrite.ts";

interface Run {
  readonly module: WebAssembly.Module;
  /** The function of a metered module; `undefined` runs the author's module. */
  readonly state?: StateExports;
  readonly run: string;
  readonly values: readonly (number | bigint)[];
  readonly fuel: number;
  readonly depth: number;
}

interface Ending {
  /** `return`, `fuel`, `depth`, `stack`, `trap: …`, or `endless` if the run had to be stopped. */
  readonly end: string;
  readonly used: number;
  /** Everything that the run left for others to see. */
  readonly seen: unknown;
}

/** Much longer than any run that our fuel allows, even on a machine that is many times slower. */
const BOUND_MS = 60_000;

/** Runs modules in a thread that is ended if a run does not end. */
export class BoundedRuns {
  #thread: Worker | undefined;

  constructor() {
    onTestFinished(async () => void (await this.#thread?.terminate()));
  }

  async of(run: Run): Promise<Ending> {
    this.#thread ??= new Worker(new URL("run-module.mjs", import.meta.url), { resourceLimits: { stackSizeMb: 32 } });
    const thread = this.#thread;
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        thread.off("message", hear).off("error", fail);
        how();
      };
      const hear = (ending: Ending): void => settle(() => resolve(ending));
      const fail = (error: unknown): void => settle(() => reject(error as Error));
      const timer = setTimeout(() => {
        this.#thread = undefined;
        void thread.terminate();
        settle(() => resolve({ end: "endless", used: 0, seen: undefined }));
      }, BOUND_MS);
      thread.once("message", hear).once("error", fail);
      thread.postMessage(run);
    });
  }
}
