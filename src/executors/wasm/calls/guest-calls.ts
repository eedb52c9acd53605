import type { AdmittedModule } from "../../../sandbox/admission/admission.ts";
import type { GrantedCall } from "../../../sandbox/grants/grant-services.ts";
import type { GivenWorld, GuestAnswer, GuestSetup, GuestTask } from "../../../sandbox/guest/protocol.ts";
import type { WasmRule } from "../../../sandbox/modules/module-store.ts";
import type { GuestPool, SandboxOptions } from "../../../sandbox/pool/guest-pool.ts";
import type { StateValues } from "../../../state/state-store.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import type { EventInput } from "./event-input.ts";
import { fuelFor, setupOf } from "./guest-setups.ts";

/** The world of a fixture, and the guard's variables. */
export interface Given extends GivenWorld {
  readonly state?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly input: EventInput;
  readonly signal: StopSignal;
  /** Applies in addition to the rule's own limit. */
  readonly maxFuel: number;
  readonly given: Given | undefined;
  /** Counts the requests of the call, even if the call fails. */
  readonly spent: { requests?: number };
}

interface GuestCallsOptions extends SandboxOptions {
  /** Whether calls are tried in this thread first. */
  readonly triesHereFirst: boolean;
  /** Called with the number of threads that do not end, each time it changes. */
  readonly onHungThreads: (count: number) => void;
}

/**
 * Fuel of a warm-up call: some milliseconds for each thread and rule. A guard that needs more is not warmed up fully.
 */
export const WARM_UP_FUEL = 10_000_000;

/** Calls guests: first in this thread if that may suffice, otherwise in a pool, which starts at the first call. */
export class GuestCalls {
  readonly #options: GuestCallsOptions;
  #pool: Promise<GuestPool> | undefined;
  #started: GuestPool | undefined;
  #closed = false;

  constructor(options: GuestCallsOptions) {
    this.#options = options;
  }

  /** Makes one call. Rejects if the signal fires, or if the guest cannot be run. */
  async call(
    rule: WasmRule,
    admitted: AdmittedModule,
    { input, signal, maxFuel, given }: CallOptions,
    granted?: GrantedCall,
  ): Promise<GuestAnswer> {
    if (this.#closed) throw new Error("the engine is closed");
    signal.enter?.("queue");
    const { key: setupKey, setup } = setupOf(rule, admitted);
    const fuel = Math.min(fuelFor(rule, input.bytes), maxFuel);
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
    const { hosts, paths, wasi } = rule.handler.grants ?? {};
    // Not in this thread if the guard may wait for a server or a disk, because that would block the timers of all
    // timeouts. Not with WASI, because its implementation is loaded only in the pool.
    const mayTryHere = this.#options.triesHereFirst && hosts === undefined && paths === undefined && wasi !== true;
    const first =
      mayTryHere && maxFuel === Number.POSITIVE_INFINITY && !signal.aborted
        ? await tryHere(task, setup, signal, admitted)
        : undefined;
    if (first !== undefined) return first;
    signal.enter?.("queue");
    const pool = this.#started ?? (await this.#startPool());
    const answer = await pool.run(task, signal, granted?.serve);
    if (answer.kind !== "needs-setup") return answer;
    // Sends the setup along, because Piscina may give the second try to another worker, which may lack it too.
    signal.enter?.("queue");
    return pool.run({ ...task, setup }, signal, granted?.serve);
  }

  /**
   * Starts the pool, so that the first call need not wait for threads or processes. Errors are ignored here, because
   * the first call reports them.
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
  async warmUp(rule: WasmRule, admitted: AdmittedModule, input: EventInput): Promise<void> {
    const { key: setupKey, setup } = setupOf(rule, admitted);
    const fuel = Math.min(fuelFor(rule, input.bytes), WARM_UP_FUEL);
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
      const { ProcessPool } = await import("../../../sandbox/pool/process/process-pool.ts");
      return new ProcessPool(this.#options, this.#options.onHungThreads);
    }
    const { ThreadPool } = await import("../../../sandbox/pool/thread-pool.ts");
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
  const { firstTry } = await import("../../../sandbox/guest/first-try.ts");
  return firstTry(task, setup, signal, { isOurs: claims?.passedUnder !== undefined });
}

function encodedState(texts: Readonly<Record<string, string>>): StateValues {
  const encoder = new TextEncoder();
  return new Map(Object.entries(texts).map(([key, text]) => [key, encoder.encode(text)]));
}
