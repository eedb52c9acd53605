import type { StopSignal } from "../../../stop-signal.ts";
import type { AdmittedModule } from "../admission/admission.ts";
import type { GrantedCall } from "../granted/granted-side.ts";
import type { GivenWorld, GuestAnswer, GuestSetup, GuestTask, StateValues } from "../guest/protocol.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { GuestPool, SandboxOptions } from "../pool/guest-pool.ts";
import type { EventInput } from "./event-input.ts";
import { fuelFor, setupOf } from "./guest-setups.ts";

/** The world of a test, and what the guard has kept so far. */
export interface Given extends GivenWorld {
  readonly state?: Readonly<Record<string, string>>;
}

export interface CallTerms {
  readonly input: EventInput;
  readonly signal: StopSignal;
  /** Holds beside the rule's own limit. */
  readonly maxFuel: number;
  readonly given: Given | undefined;
  /** What the call has had done, whatever becomes of it. */
  readonly spent: { requests?: number };
}

export interface GuestCallsOptions extends SandboxOptions {
  /** Whether a call is tried in this thread first. */
  readonly triesHereFirst: boolean;
  /** Hears how many threads will not end, whenever that changes. */
  readonly onHungThreads: (count: number) => void;
}

/** Some milliseconds, for each thread and rule: a guard that does not answer with so little is not made warm. */
export const WARM_UP_FUEL = 10_000_000;

/** Calls guests: in this thread where that is worth a try, and else in a pool that the first call starts. */
export class GuestCalls {
  readonly #options: GuestCallsOptions;
  #pool: Promise<GuestPool> | undefined;
  #started: GuestPool | undefined;
  #closed = false;

  constructor(options: GuestCallsOptions) {
    this.#options = options;
  }

  /** Rejects when the signal fires, or nothing can run the guest. Twice for one call of this, a guest is never answered. */
  async call(
    rule: WasmRule,
    admitted: AdmittedModule,
    { input, signal, maxFuel, given }: CallTerms,
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
    // Nobody waits for a server or a disk in the thread that hears of deadlines, and what gives WASI is not there.
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
    // Which worker takes the second try is Piscina's choice, so every try carries the setup from here on.
    signal.enter?.("queue");
    return pool.run({ ...task, setup }, signal, granted?.serve);
  }

  /**
   * For the first call not to wait for threads, or for processes to be ready. Whatever keeps the pool from starting is
   * reported by that call.
   */
  async startSoon(): Promise<void> {
    const starting = this.#startPool().then((pool) => pool.ready?.());
    starting.catch(() => {});
    // Threads start while other rules are prepared; processes take longer than a first call may have.
    if (this.#options.boundary === "process") await starting.catch(() => {});
  }

  /**
   * One call of each thread, so that none has the module to link and its code to compile when the first event comes.
   * What the guard says does not matter here.
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
      const { ProcessPool } = await import("../pool/process/process-pool.ts");
      return new ProcessPool(this.#options, this.#options.onHungThreads);
    }
    const { ThreadPool } = await import("../pool/thread-pool.ts");
    return new ThreadPool(this.#options, this.#options.onHungThreads);
  }

  /** No call is made from here on; those under way are ended by {@link close}. */
  refuse(): void {
    this.#closed = true;
  }

  /** Resolves to the number of threads that would not end. */
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
  const { firstTry } = await import("../guest/first-try.ts");
  return firstTry(task, setup, signal, { isOurs: claims?.passedUnder !== undefined });
}

function encodedState(texts: Readonly<Record<string, string>>): StateValues {
  const encoder = new TextEncoder();
  return new Map(Object.entries(texts).map(([key, text]) => [key, encoder.encode(text)]));
}
