import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import type { Receipt, RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { cleanLine } from "../../text.ts";
import type { Executor, RunOptions } from "../executor.ts";
import type { Admission, AdmittedModule } from "./admission/admission.ts";
import { flawOfConfig } from "./admission/config-keys.ts";
import { suggestionsFor } from "./admission/limit-suggestions.ts";
import { problemsOfEvent } from "./admission/undeclared-event.ts";
import { failureOf, problemOf, refusalOf } from "./calls/call-failures.ts";
import { problemsOfConfig } from "./calls/config-trial.ts";
import { flawOfInput, inputOf } from "./calls/event-input.ts";
import { type CallResult, GrantedCalls } from "./calls/granted-calls.ts";
import { type CallTerms, type Given, GuestCalls, WARM_UP_FUEL } from "./calls/guest-calls.ts";
import { epochMs, grantsTold, receiptOf } from "./calls/receipts.ts";
import { FixtureCheck, fixturesOf } from "./fixtures/fixture-check.ts";
import { eventOf } from "./fixtures/fixtures.ts";
import type { StateStore } from "./granted/state-store.ts";
import type { Effects } from "./guest/protocol.ts";
import { ModuleStore, type WasmRule } from "./modules/module-store.ts";
import type { SandboxOptions } from "./pool/guest-pool.ts";
import { Quarantine } from "./pool/quarantine.ts";

export interface WasmExecutorOptions extends SandboxOptions {
  /** Where admitted modules are kept for the next process. Default: nowhere. */
  readonly cacheDir?: string | false | undefined;
  /**
   * Whether a call is tried in this thread first, with little fuel, and goes to the pool only if that comes to nothing.
   * For processes that serve one event, where to start a thread takes longer than all the rest.
   */
  readonly triesHereFirst?: boolean | undefined;
  /**
   * What becomes of a module's own fixtures before its first event. `run`, the default: they are run, and a module
   * that fails one does not load. `run-once`: only if they have not passed already in another process, or when the
   * module was built. `skip`: for whoever runs them to see the results.
   */
  readonly fixtures?: "run" | "run-once" | "skip" | undefined;
  /** Where guards' variables are kept. Default: in memory, for as long as the executor is there. */
  readonly stateStore?: StateStore | undefined;
  /** Hears how many threads will not end, whenever that changes. */
  readonly onHungThreads?: ((count: number) => void) | undefined;
}

export interface WasmRunOptions extends RunOptions {
  /** Holds beside the limits of the rule. Default: they alone. */
  readonly maxFuel?: number;
  /** The world that the guard is shown in place of what its grants give. Default: what they give. */
  readonly given?: Given;
  /** Hears what a guard that was shown such a world wants changed in it, once it has answered. */
  readonly onEffects?: (effects: Effects) => void;
}

/** Runs `wasm` rules: guards in a sandbox on a pool of worker threads. */
export class WasmExecutor implements Executor {
  readonly type = "wasm";
  readonly #modules: ModuleStore;
  /** Undefined where fixtures are somebody else's business. */
  readonly #fixtures: FixtureCheck | undefined;
  /**
   * Answers of earlier loads. Without the wait the guard's thread has the event before the next rule is started, and
   * starting a process holds up everything else.
   */
  readonly #loaded = new WeakMap<WasmRule, Admission>();
  readonly #quarantine: Quarantine;
  readonly #calls: GuestCalls;
  readonly #granted: GrantedCalls;
  readonly #onHungThreads: (count: number) => void;
  #warmTurn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor({
    cacheDir = false,
    triesHereFirst = false,
    fixtures = "run",
    onHungThreads = () => {},
    stateStore,
    ...options
  }: WasmExecutorOptions = {}) {
    this.#modules = new ModuleStore(cacheDir, options.boundary);
    this.#quarantine = new Quarantine(options.boundary);
    const callerOf = (admitted: AdmittedModule) => ({
      run: (rule: Rule, event: HookEvent, run: WasmRunOptions) => this.#askUnloaded(rule, admitted, event, run),
    });
    this.#fixtures =
      fixtures === "skip"
        ? undefined
        : new FixtureCheck(callerOf, { cacheDir, trustsEarlierRuns: fixtures === "run-once" });
    // Whoever wants guests in processes of their own does not want them here.
    const mayTryHere = triesHereFirst && options.boundary !== "process";
    this.#calls = new GuestCalls({ ...options, triesHereFirst: mayTryHere, onHungThreads });
    this.#granted = new GrantedCalls(this.#calls, { store: stateStore, maxWaiting: options.maxQueue });
    this.#onHungThreads = onHungThreads;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const guard = asWasmRule(rule);
    const { place } = rule;
    const at = place === undefined ? {} : { place };
    const admission = await this.#load(guard);
    if (!admission.ok) return [{ ...problemOf(guard, admission), ...at }];
    if (!this.#closed) await this.#warmUp(guard, admission);
    return [
      ...suggestionsFor(guard, admission.claims?.limits),
      ...problemsOfEvent(guard, admission.claims),
      ...(await problemsOfGrants(guard, admission)),
      ...(await this.#problemsOfConfig(guard, admission)),
    ].map((problem) => ({ ...problem, ...at }));
  }

  async #problemsOfConfig(guard: WasmRule, admission: AdmittedModule): Promise<readonly Problem[]> {
    if (this.#fixtures === undefined || this.#closed) return [];
    return problemsOfConfig(guard, admission, (event, options) =>
      this.#ask(guard, admission, event, { ...options, maxFuel: WARM_UP_FUEL }),
    );
  }

  async run(rule: Rule, event: HookEvent, options: WasmRunOptions): Promise<RunResult> {
    const guard = asWasmRule(rule);
    const { signal } = options;
    const startedAtMs = epochMs();
    let admission: Admission;
    try {
      admission = this.#loaded.get(guard) ?? (await this.#loadWithin(guard, signal));
    } catch (error) {
      return { ok: false, failure: failureOf(error, signal), receipt: receiptOf(startedAtMs, inputOf(event)) };
    }
    if (admission.ok) return this.#ask(guard, admission, event, options, startedAtMs);
    return { ok: false, failure: refusalOf(guard, admission), receipt: receiptOf(startedAtMs, inputOf(event)) };
  }

  /** A load goes on for whoever else waits for it; this caller's time may be up before. */
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

  /** Admission, then what the rule gives the module, then the module's own tests. */
  async #load(guard: WasmRule, signal?: StopSignal): Promise<Admission> {
    const admission = await this.#modules.get(guard, signal);
    const flaw = admission.ok ? flawOfConfig(guard.handler.config, admission.claims?.config) : undefined;
    const checked = admission.ok && flaw === undefined ? await this.#fixtures?.verdict(guard, admission) : undefined;
    const loaded = flaw ?? checked?.refused ?? admission;
    if (checked?.isFinal !== false) this.#loaded.set(guard, loaded);
    return loaded;
  }

  /** A fixture's call in each thread. */
  #warmUp(guard: WasmRule, admitted: AdmittedModule): Promise<void> {
    const [fixture] = this.#fixtures === undefined || admitted.claims?.fixtures === 0 ? [] : fixturesOf(admitted);
    const event = fixture === undefined ? undefined : eventOf(fixture);
    if (event === undefined || "kind" in event) {
      return this.#calls.startSoon();
    }
    // Beside others it would find threads taken, and leave them cold.
    this.#warmTurn = this.#warmTurn
      .then(() => this.#fixtures?.idle())
      .then(() => this.#calls.warmUp(guard, admitted, inputOf(event)))
      .catch(() => {});
    return this.#warmTurn;
  }

  /** For a fixture, whose config has to have the keys that a rule's must have: a misspelt one tests nothing. */
  async #askUnloaded(
    rule: Rule,
    admitted: AdmittedModule,
    event: HookEvent,
    options: WasmRunOptions,
  ): Promise<RunResult> {
    const guard = asWasmRule(rule);
    const flaw = flawOfConfig(guard.handler.config, admitted.claims?.config);
    if (flaw === undefined) return this.#ask(guard, admitted, event, options);
    return { ok: false, failure: refusalOf(guard, flaw), receipt: receiptOf(epochMs(), inputOf(event)) };
  }

  async #ask(
    guard: WasmRule,
    admission: AdmittedModule,
    event: HookEvent,
    { signal, maxFuel = Number.POSITIVE_INFINITY, given, onEffects }: WasmRunOptions,
    startedAtMs = epochMs(),
  ): Promise<RunResult> {
    const input = inputOf(event);
    const receipt = (details: Partial<Receipt>, endedAtMs?: number): Receipt =>
      receiptOf(startedAtMs, input, details, endedAtMs);
    const module = { module: `sha256:${admission.digest}`, ...grantsTold(guard) };
    const flaw = flawOfInput(input);
    if (flaw !== undefined) return { ok: false, failure: flaw, receipt: receipt(module) };

    const quarantined = this.#quarantine.refusal(guard.id);
    if (quarantined !== undefined) return { ok: false, failure: quarantined, receipt: receipt(module) };

    let result: CallResult;
    const spent: CallTerms["spent"] = {};
    try {
      result = await this.#granted.call(guard, admission, event, { input, signal, maxFuel, given, spent });
    } catch (error) {
      const failure = failureOf(error, signal);
      // Whoever cancels a call takes the thread away, and not the rule.
      if (failure.kind !== "cancelled" && (error as Error | undefined)?.name === "GuestLost")
        this.#quarantine.lost(guard.id);
      return { ok: false, failure, receipt: receipt({ ...module, ...spent }) };
    }
    this.#quarantine.returned(guard.id);
    if (result.effects !== undefined) onEffects?.(result.effects);
    if (result.usage === undefined) return { ...result.reply, receipt: receipt(module) };
    const { log, doneAtMs, ...used } = result.usage;
    const logged = log === undefined ? {} : { log: log.map((line) => cleanLine(line)) };
    return { ...result.reply, receipt: receipt({ ...module, ...spent, ...used, ...logged }, doneAtMs) };
  }

  sessionEnded(event: HookEvent): void {
    this.#granted.sessionEnded(event);
  }

  async close(threadsMs?: number): Promise<void> {
    this.#closed = true;
    this.#calls.refuse();
    await this.#modules.settled();
    const hung = await this.#calls.close(threadsMs);
    await this.#granted.close();
    // Fixtures that were being run have failed with the pool; how far they had come is worth remembering.
    await this.#fixtures?.settled();
    if (hung > 0) this.#onHungThreads(hung);
  }
}

/** Most rules grant nothing, and most guards want nothing. */
async function problemsOfGrants(rule: WasmRule, admitted: AdmittedModule): Promise<readonly Problem[]> {
  if (rule.handler.grants === undefined && admitted.claims?.wants === undefined) return [];
  const { problemsOfGrants: judge } = await import("./admission/idle-grants.ts");
  return judge(rule, admitted);
}

function asWasmRule(rule: Rule): WasmRule {
  if (rule.handler.type !== "wasm") throw new TypeError(`rule ${rule.id} is not a wasm rule`);
  return rule as WasmRule;
}
