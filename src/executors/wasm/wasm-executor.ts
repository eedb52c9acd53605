import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import type { RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import {
  type AdmittedModule,
  ModuleStore,
  type RefusedModule,
  Sandbox,
  type SandboxOptions,
} from "../../sandbox/index.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { CallSlots } from "../call-slots.ts";
import type { Executor } from "../executor.ts";
import { failureOfLoad, failureOfRefusal, problemOf } from "./calls/call-failures.ts";
import { refusalOfConfig } from "./calls/config-keys.ts";
import type { AskGuard } from "./calls/config-trial.ts";
import { inputOf } from "./calls/event-input.ts";
import { GuardCalls, sessionOf, type WasmRunOptions } from "./calls/guard-calls.ts";
import { epochMs, receiptOf } from "./calls/receipts.ts";
import type { FixtureVerdict } from "./fixtures/fixture-check.ts";
import { GuardTests, type TestBench, type TestsLater } from "./fixtures/guard-tests.ts";
import { Quarantine } from "./quarantine.ts";
import { asWasmRule, moduleOf, type WasmRule } from "./wasm-rule.ts";

export interface WasmExecutorOptions extends SandboxOptions {
  /** Folder in which admitted modules are kept for other processes. Default: `false`, no folder. */
  readonly cacheDir?: string | false | undefined;
  /** Whether the process ends after one event, so that it cannot keep variables in memory for later events. */
  readonly servesOneEvent?: boolean | undefined;
  /**
   * Whether a call is first tried in this thread with little fuel, and goes to the pool only without a result, until a
   * rule is prepared. Set if an event waits for the start, because starting a thread takes longer than everything else.
   */
  readonly triesHereFirst?: boolean | undefined;
  /** Whether modules must pass their own fixtures. `skip` is for callers that run the fixtures to show the results. */
  readonly fixtures?: "run" | "skip" | undefined;
  /** Called with rules whose modules are untested, to run the fixtures in another process. Default: they run here. */
  readonly testsLater?: TestsLater | undefined;
  /** Store of guards' variables. Default: in memory, for the lifetime of the executor. */
  readonly stateStore?: StateStore | undefined;
  /** Folder of guards' variables for other processes, unless `stateStore` is set. Default: none. */
  readonly stateFolder?: string | (() => string) | undefined;
  /** Called with the number of threads that do not end, each time this number changes. */
  readonly onHungThreads?: ((count: number) => void) | undefined;
}

type Admission = AdmittedModule | RefusedModule;

const UNTESTED: FixtureVerdict = { refused: undefined, isFinal: true };

/** Fuel of a call that tries a rule's config: some milliseconds. */
const TRIAL_FUEL = 10_000_000;

/** Runs `wasm` rules: guards in a sandbox on a pool of worker threads. */
export class WasmExecutor implements Executor {
  readonly type = "wasm";
  readonly #modules: ModuleStore;
  /** The fixtures of modules. `undefined` if the caller runs the fixtures. */
  readonly #tests: GuardTests | undefined;
  /**
   * Modules that are already loaded. Skipping the await lets the guard start before the next rule spawns a process,
   * which blocks this thread.
   */
  readonly #loaded = new WeakMap<WasmRule, Admission>();
  readonly #sandbox: Sandbox;
  readonly #events: GuardCalls;
  readonly #hungAt: (lane: "events" | "fixtures") => (count: number) => void;
  #lastWarmUp: Promise<void> = Promise.resolve();
  #closed = false;

  constructor({
    cacheDir = false,
    servesOneEvent = false,
    triesHereFirst = false,
    fixtures = "run",
    testsLater,
    onHungThreads = () => {},
    stateStore,
    stateFolder,
    ...options
  }: WasmExecutorOptions = {}) {
    this.#modules = new ModuleStore(cacheDir, options.boundary);
    const openBench = (): TestBench => this.#openBench(options);
    this.#tests = fixtures === "skip" ? undefined : new GuardTests({ cacheDir, openBench, testsLater });
    // With the boundary `process`, guests must not run in this process.
    const mayTryHere = triesHereFirst && options.boundary !== "process";
    // Hung threads of events and of fixtures are reported as one number.
    const hung = { events: 0, fixtures: 0 };
    this.#hungAt = (lane) => (count) => {
      hung[lane] = count;
      onHungThreads(hung.events + hung.fixtures);
    };
    this.#sandbox = new Sandbox({
      ...options,
      triesHereFirst: mayTryHere,
      onHungThreads: this.#hungAt("events"),
      store: stateStore,
      stateFolder,
      needsSession: servesOneEvent && stateFolder !== undefined,
    });
    const projectSlots = new CallSlots(this.#sandbox.threads, this.#sandbox.maxQueue);
    this.#events = new GuardCalls(this.#sandbox, new Quarantine(options.boundary), projectSlots);
  }

  /** Opens a separate thread or process for fixtures, so that a slow fixture does not delay events. */
  #openBench(options: SandboxOptions): TestBench {
    const onHungThreads = this.#hungAt("fixtures");
    const sandbox = new Sandbox({ ...options, threads: 1, onHungThreads });
    const calls = new GuardCalls(sandbox, new Quarantine(options.boundary));
    return {
      callerOf: (admitted) => ({ run: (rule, event, run) => this.#askUnloaded(rule, admitted, event, run, calls) }),
      close: async () => {
        const hung = await sandbox.close();
        if (hung > 0) onHungThreads(hung);
      },
    };
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const guard = asWasmRule(rule);
    const { place } = rule;
    const at = place === undefined ? {} : { place };
    const admission = await this.#admit(guard);
    if (!admission.ok) return [{ ...problemOf(guard, admission), ...at }];
    const { refused, isFinal } = (await this.#tests?.now(guard, admission)) ?? UNTESTED;
    this.#loaded.set(guard, isFinal && refused !== undefined ? refused : admission);
    if (refused !== undefined) {
      // Without a final result the problem is only a warning, because a busy machine may be the cause.
      const severity = isFinal ? "error" : "warning";
      return [{ ...problemOf(guard, refused), severity, ...at }];
    }
    const { eventForWarmUp, problemsOfLoaded } = await import("./calls/preparation.ts");
    if (!this.#closed) await this.#warmUp(guard, admission, this.#tests && eventForWarmUp(admission));
    const ask: AskGuard = (event, options) =>
      this.#events.ask(guard, admission, event, { ...options, maxFuel: TRIAL_FUEL });
    const problems = await problemsOfLoaded(guard, admission, this.#tests && !this.#closed ? ask : undefined);
    return problems.map((problem) => ({ ...problem, ...at }));
  }

  /** Runs the fixtures of the rule's module unless their result is known, and stores the result for other processes. */
  async test(rule: Rule): Promise<void> {
    const guard = asWasmRule(rule);
    const admission = await this.#admit(guard);
    if (admission.ok) await this.#tests?.now(guard, admission);
  }

  async run(rule: Rule, event: HookEvent, options: WasmRunOptions): Promise<RunResult> {
    const guard = asWasmRule(rule);
    if (guard.handler.grants?.state === undefined) return this.#run(guard, event, options);
    const end = this.#sandbox.begin(sessionOf(event));
    return this.#run(guard, event, options).finally(end);
  }

  async #run(guard: WasmRule, event: HookEvent, options: WasmRunOptions): Promise<RunResult> {
    const { signal } = options;
    const startedAtMs = epochMs();
    let admission = this.#loaded.get(guard);
    signal.enter?.(admission === undefined ? "load" : "queue");
    try {
      admission ??= await this.#loadWithin(guard, signal);
    } catch (error) {
      return { ok: false, failure: failureOfLoad(error, signal), receipt: receiptOf(startedAtMs, inputOf(event)) };
    }
    if (admission.ok) return this.#events.ask(guard, admission, event, options, startedAtMs);
    return { ok: false, failure: failureOfRefusal(guard, admission), receipt: receiptOf(startedAtMs, inputOf(event)) };
  }

  /** Waits for the load until the signal fires. The load continues for other callers. */
  #loadWithin(guard: WasmRule, signal: StopSignal): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error("stopped while the module was being loaded"));
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener("abort", stop, { once: true });
      const done = (): void => signal.removeEventListener("abort", stop);
      this.#load(guard, signal).then(resolve, reject).finally(done);
    });
  }

  /** Admits the module, checks the rule's config, then checks the known result of the module's fixtures. */
  async #load(guard: WasmRule, signal?: StopSignal): Promise<Admission> {
    const admission = await this.#admit(guard, signal);
    const testState = admission.ok ? ((await this.#tests?.testState(guard, admission)) ?? "passed") : admission;
    const loaded = typeof testState === "string" ? admission : testState;
    this.#loaded.set(guard, loaded);
    if (testState === "untested" && admission.ok) this.#testBesideEvents(guard, admission);
    return loaded;
  }

  async #admit(guard: WasmRule, signal?: StopSignal): Promise<Admission> {
    const admission = await this.#modules.get(moduleOf(guard), signal);
    const refusal = admission.ok ? refusalOfConfig(guard.handler.config, admission.claims?.config) : undefined;
    if (refusal !== undefined) this.#loaded.set(guard, refusal);
    return refusal ?? admission;
  }

  /** Runs the fixtures while the guard judges events. After a failure, the guard is refused from the next call on. */
  #testBesideEvents(guard: WasmRule, admission: AdmittedModule): void {
    const tested = (verdict: FixtureVerdict | undefined): void => {
      if (verdict?.refused === undefined) return;
      if (verdict.isFinal) this.#loaded.set(guard, verdict.refused);
      // The fixtures gave no result, so a later call tries again.
      else this.#loaded.delete(guard);
    };
    this.#tests?.later(guard, admission).then(tested, () => this.#loaded.delete(guard));
  }

  /** Makes calls in each thread, or only starts the threads if no event is known for the guard. */
  #warmUp(guard: WasmRule, admitted: AdmittedModule, event: HookEvent | undefined): Promise<void> {
    if (event === undefined) return this.#sandbox.startSoon();
    // Rules are warmed up one after the other, because a warm-up skips busy threads.
    this.#lastWarmUp = this.#lastWarmUp
      .then(() => this.#sandbox.warmUp(guard.handler, admitted, inputOf(event)))
      .catch(() => {});
    return this.#lastWarmUp;
  }

  /**
   * Makes a call for a fixture. Checks the fixture's config like a rule's, because a misspelt key would test nothing.
   */
  async #askUnloaded(
    rule: Rule,
    admitted: AdmittedModule,
    event: HookEvent,
    options: WasmRunOptions,
    calls: GuardCalls,
  ): Promise<RunResult> {
    const guard = asWasmRule(rule);
    const refusal = refusalOfConfig(guard.handler.config, admitted.claims?.config);
    if (refusal === undefined) return calls.ask(guard, admitted, event, options);
    return { ok: false, failure: failureOfRefusal(guard, refusal), receipt: receiptOf(epochMs(), inputOf(event)) };
  }

  sessionEnded(event: HookEvent): void {
    this.#sandbox.sessionEnded(sessionOf(event));
  }

  async close(threadsMs?: number): Promise<void> {
    this.#closed = true;
    this.#sandbox.refuse();
    await this.#modules.settled();
    const hung = await this.#sandbox.close(threadsMs);
    await this.#tests?.close();
    if (hung > 0) this.#hungAt("events")(hung);
  }
}
