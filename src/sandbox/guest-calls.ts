import type { StateValues } from "../state/state-store.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { AdmittedModule } from "./admission/admitted-module.ts";
import type { GrantedCall } from "./grants/grant-services.ts";
import type { GivenWorld, GuestAnswer, GuestSetup, GuestTask } from "./guest/protocol.ts";
import { fuelFor, type GuestSettings, setupOf } from "./guest-setups.ts";
import { DEFAULT_MAX_QUEUE, type GuestPool, type SandboxOptions, threadsOf } from "./pool/guest-pool.ts";

/** The input of a call, and its length as UTF-8. */
export interface GuestInput {
  readonly text: string | Uint8Array;
  readonly bytes: number;
}

/** The world of a fixture, and the guest's variables. */
interface Given extends GivenWorld {
  readonly state?: Readonly<Record<string, string>>;
}

export interface GuestCall {
  readonly input: GuestInput;
  readonly signal: StopSignal;
  /** Applies in addition to the limit of the settings. Default: no further limit. */
  readonly maxFuel?: number | undefined;
  /** A fixture's world, which replaces what the grants give. */
  readonly given?: Given | undefined;
}

export interface GuestCallsOptions extends SandboxOptions {
  /** Whether calls are tried in this thread first. Default: `false`. */
  readonly triesHereFirst?: boolean;
  /** Called with the number of threads that do not end, each time this number changes. */
  readonly onHungThreads?: (count: number) => void;
}

/**
 * Fuel of a warm-up call: some milliseconds for each thread. A guest that needs more is not warmed up fully.
 */
const WARM_UP_FUEL = 10_000_000;

/** Calls guests: first in this thread if that may suffice, otherwise in a pool, which starts at the first call. */
export class GuestCalls {
  readonly #options: GuestCallsOptions;
  /** The number of calls that run at the same time. */
  readonly threads: number;
  /** The maximum number of calls that wait. */
  readonly maxQueue: number;
  #pool: Promise<GuestPool> | undefined;
  #started: GuestPool | undefined;
  #closed = false;

  constructor(options: GuestCallsOptions) {
    this.#options = options;
    this.threads = threadsOf(options);
    this.maxQueue = options.maxQueue ?? DEFAULT_MAX_QUEUE;
  }

  /** Makes one call. Rejects if the signal fires, or if the guest cannot be run. */
  protected async ask(
    settings: GuestSettings,
    admitted: AdmittedModule,
    { input, signal, maxFuel = Number.POSITIVE_INFINITY, given }: GuestCall,
    granted?: GrantedCall,
  ): Promise<GuestAnswer> {
    if (this.#closed) throw new Error("the engine is closed");
    signal.enter?.("queue");
    const { key: setupKey, setup } = setupOf(settings, admitted);
    const fuel = Math.min(fuelFor(settings, input.bytes), maxFuel);
    const { state: kept, ...world } = given ?? {};
    const state = granted?.state ?? (kept === undefined ? undefined : encodedState(kept));
    const task: GuestTask = {
      setupKey,
      setup: undefined,
      input: input.text,
      fuel,
      ...(state === undefined ? {} : { state }),
      ...(given === undefined ? {} : { given: world }),
    };
    const { hosts, paths, wasi } = settings.grants ?? {};
    // A guard that may wait for a server or a disk does not run in this thread, because it would block the timers of
    // all timeouts. Guards with WASI need the pool, which loads WASI's implementation.
    const { triesHereFirst = false, threads } = this.#options;
    const isWarm = typeof threads === "object" && threads.isWarm(setup.moduleKey);
    const mayTryHere = triesHereFirst && !isWarm && hosts === undefined && paths === undefined && wasi !== true;
    const first =
      mayTryHere && maxFuel === Number.POSITIVE_INFINITY && !signal.aborted
        ? await tryHere(task, setup, signal, admitted)
        : undefined;
    if (first !== undefined) return first;
    signal.enter?.("queue");
    const pool = this.#started ?? (await this.#startPool());
    const answer = await pool.run(task, signal, granted?.serve);
    if (answer.kind !== "needs-setup") return answer;
    // The setup is sent along, because Piscina may give the second try to another worker, which may lack it too.
    signal.enter?.("queue");
    return pool.run({ ...task, setup }, signal, granted?.serve);
  }

  /**
   * Starts the pool, so that the first call need not wait for threads or processes. Ignores errors, because the first
   * call reports them.
   */
  async startSoon(): Promise<void> {
    const starting = this.#startPool().then((pool) => pool.ready?.());
    starting.catch(() => {});
    // Threads start while other rules are prepared. Processes may take longer than the first call's timeout.
    if (this.#options.boundary === "process") await starting.catch(() => {});
  }

  /**
   * Makes calls in each thread, so that the module is linked and its code compiled before the first event. Ignores the
   * guard's answers.
   */
  async warmUp(settings: GuestSettings, admitted: AdmittedModule, input: GuestInput): Promise<void> {
    const { key: setupKey, setup } = setupOf(settings, admitted);
    const fuel = Math.min(fuelFor(settings, input.bytes), WARM_UP_FUEL);
    await (await this.#startPool()).runInEach({ setupKey, setup, input: input.text, fuel, given: {} });
  }

  #startPool(): Promise<GuestPool> {
    this.#pool ??= this.#openPool().then((pool) => {
      this.#started = pool;
      return pool;
    });
    return this.#pool;
  }

  async #openPool(): Promise<GuestPool> {
    if (this.#options.boundary === "process") {
      const { ProcessPool } = await import("./pool/process/process-pool.ts");
      return new ProcessPool(this.#options, this.#options.onHungThreads);
    }
    const { threads } = this.#options;
    if (typeof threads === "object") {
      const { joinThreads } = await import("./pool/thread-sharing.ts");
      return joinThreads(threads, this.maxQueue);
    }
    const { ThreadPool } = await import("./pool/thread-pool.ts");
    return new ThreadPool(this.#options, this.#options.onHungThreads);
  }

  /** Rejects all further calls. Current calls continue until {@link close}. */
  refuse(): void {
    this.#closed = true;
  }

  /** Resolves to the number of threads that did not end. */
  async close(threadsMs?: number): Promise<number> {
    this.refuse();
    const pool = await this.#pool;
    return (await pool?.close(threadsMs)) ?? 0;
  }
}

async function tryHere(
  task: GuestTask,
  setup: GuestSetup,
  signal: StopSignal,
  { claims }: AdmittedModule,
): Promise<GuestAnswer | undefined> {
  signal.enter?.("load");
  const { firstTry } = await import("./guest/first-try.ts");
  return firstTry(task, setup, signal, { isOurs: claims?.passedUnder !== undefined });
}

function encodedState(texts: Readonly<Record<string, string>>): StateValues {
  const encoder = new TextEncoder();
  return new Map(Object.entries(texts).map(([key, text]) => [key, encoder.encode(text)]));
}
