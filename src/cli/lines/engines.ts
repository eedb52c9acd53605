import type { ConfigFile } from "../../config/load.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { ActivityListener } from "../../engine/activity.ts";
import { createEngine, type Engine } from "../../engine.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";

interface EnginesOptions {
  readonly files: readonly ConfigFile[];
  readonly cwd: string;
  readonly onActivity: ActivityListener;
}

/** How long to wait for threads. An idle thread may take a second to end; ending by force costs the exit code. */
const THREADS_WAIT_MS = 4_000;

/** One engine for each agent. An engine is created at its agent's first question and kept. */
export class Engines {
  readonly #options: EnginesOptions;
  readonly #started = new Map<string, Promise<Engine>>();
  #hungThreads = 0;

  constructor(options: EnginesOptions) {
    this.#options = options;
  }

  /** Whether a thread did not end after it was told to end. */
  get isStuck(): boolean {
    return this.#hungThreads > 0;
  }

  of({ name: dialect }: Dialect): Promise<Engine> {
    const { files: configFiles, cwd, onActivity } = this.#options;
    let hungBefore = 0;
    const engine =
      this.#started.get(dialect) ??
      createEngine({
        configFiles,
        cwd,
        dialect,
        onActivity,
        stateFolder: defaultStateFolder,
        approvals: "required",
        onHungThreads: (count) => {
          this.#hungThreads += count - hungBefore;
          hungBefore = count;
        },
      });
    this.#started.set(dialect, engine);
    return engine;
  }

  /** Closes all engines. Waits for async rules until their own timeouts, or at most `backgroundMs`. */
  async close(backgroundMs: number | undefined): Promise<void> {
    const started = await Promise.allSettled(this.#started.values());
    const waits = { threadsMs: THREADS_WAIT_MS, ...(backgroundMs === undefined ? {} : { backgroundMs }) };
    await Promise.all(started.map((one) => (one.status === "fulfilled" ? one.value.close(waits) : undefined)));
  }
}
