import type { DecodedReply } from "../../codec.ts";
import { describeThrown, type Problem } from "../../errors.ts";
import type { HookEvent, JsonObject } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { readReply } from "../../events/reply.ts";
import type { Failure, Receipt, RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { cleanLine } from "../../text.ts";
import { runBounded } from "../bounded-run.ts";
import type { Executor, RunOptions } from "../executor.ts";
import type { Admission, AdmittedModule } from "./admission/admission.ts";
import { flawOfConfig } from "./admission/config-keys.ts";
import { COST_MODEL_VERSION } from "./admission/cost-model.ts";
import { suggestionsFor } from "./admission/limit-suggestions.ts";
import type { RefusedModule } from "./admission/refusal.ts";
import { problemsOfEvent } from "./admission/undeclared-event.ts";
import { FixtureCheck, fixturesOf } from "./fixtures/fixture-check.ts";
import { eventOf } from "./fixtures/fixtures.ts";
import { type GrantedCall, GrantedSide } from "./granted/granted-side.ts";
import { grantWords, isDeterministic } from "./grants.ts";
import { GUEST_ABI_VERSION } from "./guest/guest-abi.ts";
import { DEFAULT_HOST_LIMITS } from "./guest/host.ts";
import type { GivenWorld, GuestAnswer, GuestSetup, GuestTask, StateValues } from "./guest/protocol.ts";
import { ModuleStore, type WasmRule } from "./modules/module-store.ts";
import type { GuestPool, SandboxOptions, SandboxUnfit } from "./pool/guest-pool.ts";
import { Quarantine } from "./pool/quarantine.ts";
import { wellFormedJson } from "./well-formed-json.ts";

/** A longer event is not shown to guards: reading it would cost more than any decision is worth. */
const MAX_INPUT_BYTES = 4 * 1_048_576;

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
  /** Hears how many threads will not end, whenever that changes. */
  readonly onHungThreads?: ((count: number) => void) | undefined;
}

export interface WasmRunOptions extends RunOptions {
  /** Holds beside the limits of the rule. Default: they alone. */
  readonly maxFuel?: number;
  /** The world that the guard is shown in place of what its grants give. Default: what they give. */
  readonly given?: Given;
}

/** The world of a test, and what the guard has kept so far. */
export interface Given extends GivenWorld {
  readonly state?: Readonly<Record<string, string>>;
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
  readonly #granted = new GrantedSide();
  readonly #options: SandboxOptions;
  readonly #triesHereFirst: boolean;
  readonly #onHungThreads: (count: number) => void;
  #pool: Promise<GuestPool> | undefined;
  #started: GuestPool | undefined;
  #warmTurn: Promise<void> = Promise.resolve();
  #closed = false;

  constructor({
    cacheDir = false,
    triesHereFirst = false,
    fixtures = "run",
    onHungThreads = () => {},
    ...options
  }: WasmExecutorOptions = {}) {
    // Whoever wants guests in processes of their own does not want them here.
    this.#triesHereFirst = triesHereFirst && options.boundary !== "process";
    this.#modules = new ModuleStore(cacheDir, options.boundary);
    this.#quarantine = new Quarantine(options.boundary);
    const callerOf = (admitted: AdmittedModule) => ({
      run: (rule: Rule, event: HookEvent, run: WasmRunOptions) => this.#askUnloaded(rule, admitted, event, run),
    });
    this.#fixtures =
      fixtures === "skip"
        ? undefined
        : new FixtureCheck(callerOf, { cacheDir, trustsEarlierRuns: fixtures === "run-once" });
    this.#options = options;
    this.#onHungThreads = onHungThreads;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const guard = asWasmRule(rule);
    const { name, place } = rule;
    const at = place === undefined ? {} : { place };
    const admission = await this.#load(guard);
    if (!admission.ok) {
      const message = `rule "${name}": module ${guard.handler.module} ${admission.message}`;
      return [{ severity: "error", code: admission.code, message, ...at }];
    }
    if (!this.#closed) await this.#warmUp(guard, admission);
    return [
      ...suggestionsFor(guard, admission.claims?.limits),
      ...problemsOfEvent(guard, admission.claims),
      ...(await this.#problemsOfConfig(guard, admission)),
    ].map((problem) => ({ ...problem, ...at }));
  }

  /**
   * Whether the guard takes the rule's `config`: it is asked about the events of its own fixtures, and none of them is
   * one that it fails at. What its schema says of values is for the guard to know.
   */
  async #problemsOfConfig(guard: WasmRule, admission: AdmittedModule): Promise<readonly Problem[]> {
    if (this.#fixtures === undefined || this.#closed || Object.keys(guard.handler.config).length === 0) return [];
    const executor: Executor = {
      type: "wasm",
      run: (_, event, options) => this.#ask(guard, admission, event, { ...options, maxFuel: WARM_UP_FUEL, given: {} }),
      close: () => Promise.resolve(),
    };
    for (const fixture of fixturesOf(admission).slice(0, MOST_ASKED)) {
      const event = eventOf(fixture);
      if ("kind" in event) continue;
      const result = await runBounded(executor, guard, event, performance.now(), undefined);
      if (result.ok || result.failure.kind !== "exit") continue;
      const message = `rule "${guard.name}": with this config, module ${guard.handler.module} fails: ${result.failure.message}`;
      return [{ severity: "warning", code: "HOOK_MODULE_CONFIG", message }];
    }
    return [];
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

  /**
   * One call of each thread, so that none has the module to link and its code to compile when the first event comes.
   * What the guard says does not matter here.
   */
  #warmUp(guard: WasmRule, admitted: AdmittedModule): Promise<void> {
    const [fixture] = this.#fixtures === undefined || admitted.claims?.fixtures === 0 ? [] : fixturesOf(admitted);
    const event = fixture === undefined ? undefined : eventOf(fixture);
    if (event === undefined || "kind" in event) {
      // Whatever keeps the pool from starting is reported by the first call.
      return this.#startPool()
        .then((pool) => pool.ready?.())
        .catch(() => {});
    }
    const { key: setupKey, setup } = setupOf(guard, admitted);
    const input = inputOf(event);
    const task = {
      setupKey,
      setup,
      input: input.text,
      fuel: Math.min(fuelFor(guard, input.bytes), WARM_UP_FUEL),
      given: {},
    };
    // Beside others it would find threads taken, and leave them cold.
    this.#warmTurn = this.#warmTurn
      .then(() => this.#fixtures?.idle())
      .then(async () => (await this.#startPool()).runInEach(task))
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
    { signal, maxFuel = Number.POSITIVE_INFINITY, given }: WasmRunOptions,
    startedAtMs = epochMs(),
  ): Promise<RunResult> {
    const input = inputOf(event);
    const receipt = (details: Partial<Receipt>, endedAtMs?: number): Receipt =>
      receiptOf(startedAtMs, input, details, endedAtMs);
    const module = { module: `sha256:${admission.digest}`, ...grantsTold(guard) };
    if (input.bytes > MAX_INPUT_BYTES)
      return { ok: false, failure: tooMuchInput(input.bytes), receipt: receipt(module) };

    const quarantined = this.#quarantine.refusal(guard.id);
    if (quarantined !== undefined) return { ok: false, failure: quarantined, receipt: receipt(module) };

    let answer: GuestAnswer;
    try {
      answer = await this.#callGranted(guard, admission, event, { input, signal, maxFuel, given });
    } catch (error) {
      const failure = failureOf(error, signal);
      // Whoever cancels a call takes the thread away, and not the rule.
      if (failure.kind !== "cancelled" && (error as Error | undefined)?.name === "GuestLost")
        this.#quarantine.lost(guard.id);
      return { ok: false, failure, receipt: receipt(module) };
    }
    this.#quarantine.returned(guard.id);
    if (answer.kind === "needs-setup") return { ok: false, failure: NO_WORKER, receipt: receipt(module) };
    const { log, doneAtMs, ...used } = answer.usage;
    const logged = log === undefined ? {} : { log: log.map((line) => cleanLine(line)) };
    return { ...readAnswer(answer, event), receipt: receipt({ ...module, ...used, ...logged }, doneAtMs) };
  }

  /** Most rules grant nothing, and wait for nothing. */
  async #callGranted(
    rule: WasmRule,
    admitted: AdmittedModule,
    event: HookEvent,
    terms: CallTerms,
  ): Promise<GuestAnswer> {
    if (rule.handler.grants === undefined || terms.given !== undefined) return this.#call(rule, admitted, terms);
    const granted = await this.#granted.enter(rule, event, terms.signal);
    try {
      const answer = await this.#call(rule, admitted, terms, granted);
      if (answer.kind !== "answered" || answer.effects === undefined) return answer;
      // Whoever asked has given up: nothing of it may have happened.
      if (terms.signal.aborted) throw new Error("stopped before what the guard wants changed was done");
      const failure = await granted.commit(answer.effects);
      return failure === undefined ? answer : { kind: "failed", failure, usage: answer.usage };
    } finally {
      granted.leave();
    }
  }

  async #call(
    rule: WasmRule,
    admitted: AdmittedModule,
    { input, signal, maxFuel, given }: CallTerms,
    granted?: GrantedCall,
  ): Promise<GuestAnswer> {
    if (this.#closed) throw new Error("the engine is closed");
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
    const { hosts, paths } = rule.handler.grants ?? {};
    // Nobody waits for a server or a disk in the thread that hears of deadlines.
    const mayTryHere = this.#triesHereFirst && hosts === undefined && paths === undefined;
    const first =
      mayTryHere && maxFuel === Number.POSITIVE_INFINITY && !signal.aborted
        ? await this.#tryHere(task, setup, signal, admitted)
        : undefined;
    if (first !== undefined) return first;
    const pool = this.#started ?? (await this.#startPool());
    const answer = await pool.run(task, signal, granted?.serve);
    if (answer.kind !== "needs-setup") return answer;
    // Which worker takes the second try is Piscina's choice, so every try carries the setup from here on.
    return pool.run({ ...task, setup }, signal, granted?.serve);
  }

  async #tryHere(
    task: GuestTask,
    setup: GuestSetup,
    signal: StopSignal,
    { claims }: AdmittedModule,
  ): Promise<GuestAnswer | undefined> {
    const { firstTry } = await import("./guest/first-try.ts");
    return firstTry(task, setup, signal, { isOurs: claims?.passedUnder !== undefined });
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
      return new ProcessPool(this.#options, this.#onHungThreads);
    }
    const { ThreadPool } = await import("./pool/thread-pool.ts");
    return new ThreadPool(this.#options, this.#onHungThreads);
  }

  async close(threadsMs?: number): Promise<void> {
    this.#closed = true;
    await this.#modules.settled();
    const pool = await this.#pool;
    const hung = (await pool?.close(threadsMs)) ?? 0;
    await this.#granted.close();
    // Fixtures that were being run have failed with the pool; how far they had come is worth remembering.
    await this.#fixtures?.settled();
    if (hung > 0) this.#onHungThreads(hung);
  }
}

const STARTED_AT_MS = performance.timeOrigin;

/** Comparable between threads. */
function epochMs(): number {
  return STARTED_AT_MS + performance.now();
}

/** Fixtures whose events a rule's config is tried with. */
const MOST_ASKED = 20;

/** Some milliseconds, for each thread and rule: a guard that does not answer with so little is not made warm. */
const WARM_UP_FUEL = 10_000_000;

function receiptOf(
  startedAtMs: number,
  { bytes: inputBytes }: Input,
  details: Partial<Receipt> = {},
  endedAtMs = epochMs(),
): Receipt {
  return {
    micros: Math.max(0, Math.round((endedAtMs - startedAtMs) * 1_000)),
    inputBytes,
    abi: GUEST_ABI_VERSION,
    costModel: COST_MODEL_VERSION,
    ...details,
  };
}

function failureOf(error: unknown, signal: StopSignal): Failure {
  return signal.aborted ? (signal.reason as Failure) : poolFailure(error);
}

const NO_WORKER: Failure = { kind: "unavailable", message: "no worker took the rule" };

function refusalOf(rule: WasmRule, { kind, code, message, limit, value }: RefusedModule): Failure {
  return {
    kind,
    code,
    message: `${code}: module ${rule.handler.module} ${message}`,
    ...(limit === undefined ? {} : { limit }),
    ...(value === undefined ? {} : { value }),
  };
}

function tooMuchInput(value: number): Failure {
  const limit = MAX_INPUT_BYTES;
  return { kind: "memory", message: `the event is ${value} bytes long; a guard reads at most ${limit}`, limit, value };
}

type Answered = Exclude<GuestAnswer, { kind: "needs-setup" }>;

function readAnswer(answer: Answered, event: HookEvent): DecodedReply {
  if (answer.kind === "failed") {
    return { ok: false, failure: { ...answer.failure, message: cleanLine(answer.failure.message) } };
  }
  return readReply(JSON.parse(answer.text) as JsonObject, {
    eventName: event.name,
    contract: contractOfEvent(event),
    strict: true,
  });
}

function asWasmRule(rule: Rule): WasmRule {
  if (rule.handler.type !== "wasm") throw new TypeError(`rule ${rule.id} is not a wasm rule`);
  return rule as WasmRule;
}

interface Input {
  readonly text: string;
  readonly bytes: number;
}

/** However long the event is. V8 does not interrupt every loop, so fuel has to end them in a second or two. */
const MAX_BUDGET = 2_000_000_000;

/** A longer event is more to read, for a guard that means well too. */
function fuelFor(rule: WasmRule, inputBytes: number): number {
  const { fuel, fuelPerInputByte } = rule.handler.limits;
  return Math.min(fuel + fuelPerInputByte * inputBytes, Math.max(fuel, MAX_BUDGET));
}

/** The rules that one event concerns ask one after the other, and a table of all events would burden the collector. */
let latest: { readonly event: HookEvent; readonly input: Input } | undefined;

/** Serialised by us and once: a guest's JSON reader never sees an agent's own spelling of the event. */
function inputOf(event: HookEvent): Input {
  if (latest?.event !== event) {
    const text = wellFormedJson({
      ...event.payload,
      abi: GUEST_ABI_VERSION,
      hook_event_name: event.name,
      dialect: event.dialect,
    });
    latest = { event, input: { text, bytes: Buffer.byteLength(text) } };
  }
  return latest.input;
}

interface CallTerms {
  readonly input: Input;
  readonly signal: StopSignal;
  readonly maxFuel: number;
  readonly given: Given | undefined;
}

function encodedState(texts: Readonly<Record<string, string>>): StateValues {
  const encoder = new TextEncoder();
  return new Map(Object.entries(texts).map(([key, text]) => [key, encoder.encode(text)]));
}

/** What a receipt says of a rule's grants. */
function grantsTold({ handler: { grants } }: WasmRule): Pick<Receipt, "grants" | "deterministic"> {
  if (grants === undefined) return {};
  return { grants: grantWords(grants), ...(isDeterministic(grants) ? {} : { deterministic: false }) };
}

interface KeyedSetup {
  readonly key: number;
  readonly admitted: AdmittedModule;
  readonly setup: GuestSetup;
}

const setups = new WeakMap<WasmRule, KeyedSetup>();
let setupsMade = 0;

function setupOf(rule: WasmRule, admitted: AdmittedModule): KeyedSetup {
  let keyed = setups.get(rule);
  if (keyed?.admitted !== admitted) {
    const { handler } = rule;
    setupsMade += 1;
    keyed = {
      key: setupsMade,
      admitted,
      setup: {
        moduleKey: admitted.key,
        module: admitted.module,
        function: handler.function,
        config: guestConfig(handler.config),
        limits: { ...DEFAULT_HOST_LIMITS, outputBytes: handler.limits.outputBytes },
        depth: handler.limits.depth,
        memoryBytes: admitted.memoryBytes,
        ...(handler.grants === undefined ? {} : { grants: handler.grants }),
      },
    };
    setups.set(rule, keyed);
  }
  return keyed;
}

/** The ABI's config values are texts: strings as they are, everything else as JSON. */
function guestConfig(config: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function poolFailure(error: unknown): Failure {
  const { name, code: unfit, message } = (error ?? {}) as Partial<SandboxUnfit>;
  if (name === "SandboxUnfit" && unfit !== undefined)
    return { kind: "unavailable", code: unfit, message: message ?? "" };
  const cause = error instanceof Error ? error.cause : undefined;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { kind: "memory", message: "the worker thread ran out of memory" };
  return { kind: "unavailable", message: `the guard could not be run: ${describeThrown(error)}` };
}
