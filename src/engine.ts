import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { aggregate, type RuleOutcome } from "./aggregate/aggregate.ts";
import { CacheFolder, defaultCacheFolder } from "./cache/cache-folder.ts";
import { loadConfig } from "./config/load.ts";
import type { LoadedConfig } from "./config/parse.ts";
import { type AcceptedEvent, acceptEvent } from "./engine/accept-event.ts";
import { type ActivityListener, notify } from "./engine/activity.ts";
import { Background, type BackgroundCounts, DEFAULT_MAX_BACKGROUND } from "./engine/background.ts";
import { patienceFor, usualPatienceMs } from "./engine/event-deadline.ts";
import type { Dispatch } from "./engine/executed-tool.ts";
import { createExecutors } from "./engine/executors.ts";
import { lookByLane, trustOfQuestion, yieldsTo } from "./engine/lanes.ts";
import { lookTogether } from "./engine/look.ts";
import { Once } from "./engine/once.ts";
import {
  type CloseOptions,
  checkDispatchOptions,
  checkEngineOptions,
  type DispatchOptions,
  type EngineOptions,
  type Explanation,
  type RuleInput,
} from "./engine/options.ts";
import { recordRefusals } from "./engine/record-refusals.ts";
import { RulesInForce } from "./engine/rules-in-force.ts";
import { RuleRunner, type RuleRunOptions } from "./engine/run-rule.ts";
import { runSecondLook } from "./engine/second-look.ts";
import { selectRules } from "./engine/select-rules.ts";
import { runToolCall } from "./engine/tool-call.ts";
import type { ToolCall, ToolCallHost, ToolCallResult } from "./engine/tool-call-host.ts";
import { HookError, type Problem } from "./errors.ts";
import type { HookEvent } from "./event.ts";
import type { RuleException } from "./exception.ts";
import type { ExecutorRegistry } from "./executors/registry.ts";
import { patienceForWork } from "./executors/run-clock.ts";
import type { JsonObject } from "./json.ts";
import type { Layer } from "./layer-trust.ts";
import type { RuleIndex } from "./matcher/rule-index.ts";
import { MatchingBudget } from "./matcher/steps.ts";
import type { Rule } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

export type {
  BackgroundReport,
  CloseOptions,
  DispatchOptions,
  EngineOptions,
  Explanation,
  RuleInput,
} from "./engine/options.ts";

/**
 * Takes an event from match to verdict: selects rules, runs them, limits replies, repeats after a rewrite, aggregates.
 */

/**
 * Creates an engine. Rejects only on misuse of the API. Errors in the configuration are reported in `engine.problems`.
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  checkEngineOptions(options);
  const cwd = options.cwd ?? process.cwd();
  const files = (options.configFiles ?? []).map((file) => (typeof file === "string" ? { file } : file));
  const inline =
    options.config === undefined
      ? []
      : [{ name: "config", value: options.config, layer: "command-line" as const, baseDir: cwd }];
  const { cacheDir = defaultCacheFolder() } = options;
  const { prepare = "all" } = options;
  // An engine that prepares all rules, as `check` does, also fills the cache for processes that serve a single event.
  const cache = cacheDir === false ? undefined : new CacheFolder(cacheDir, "rules");
  const modelFunctions = Object.keys(options.models ?? {});
  const { approvals } = options;
  const loaded = await loadConfig(files, inline, cwd, {
    cache,
    prepare,
    modelFunctions,
    approvals,
  });
  const executors = createExecutors(options, cacheDir);
  const { dialect = "claude-code", stateFolder = false, maxBackground, onBackgroundEnd, onActivity } = options;
  const { toolSpellings } = options;
  const listening = { onBackgroundEnd, onActivity };
  const parts = { dialect, cwd, cache, stateFolder, maxBackground, ...listening, toolSpellings, modelFunctions };
  const engine = new Engine(loaded, executors, parts);
  if (prepare === "all") await engine.prepare();
  return engine;
}

interface EngineParts extends Pick<EngineOptions, "stateFolder"> {
  readonly dialect: string;
  readonly cwd: string;
  readonly cache: CacheFolder | undefined;
  readonly maxBackground?: number | undefined;
  readonly onBackgroundEnd?: EngineOptions["onBackgroundEnd"] | undefined;
  readonly onActivity?: ActivityListener | undefined;
  readonly toolSpellings?: EngineOptions["toolSpellings"] | undefined;
  readonly modelFunctions?: readonly string[];
}

export class Engine {
  readonly #inForce: RulesInForce;
  readonly #patienceMs: number | undefined;
  readonly #executors: ExecutorRegistry;
  readonly #dialect: string;
  readonly #cache: CacheFolder | undefined;
  readonly #background: Background;
  readonly #runner: RuleRunner;
  readonly #listener: ActivityListener | undefined;
  readonly #toolSpellings: EngineOptions["toolSpellings"] | undefined;
  readonly #stateFolder: NonNullable<EngineOptions["stateFolder"]>;
  #recording: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** Use {@link createEngine} instead of this constructor. */
  constructor(loaded: LoadedConfig, executors: ExecutorRegistry, parts: EngineParts) {
    const { dialect, cwd, cache, stateFolder = false, maxBackground = DEFAULT_MAX_BACKGROUND, onBackgroundEnd } = parts;
    const { modelFunctions = [] } = parts;
    this.#listener = parts.onActivity;
    this.#toolSpellings = parts.toolSpellings;
    this.#inForce = new RulesInForce(loaded, { executors, cwd, modelFunctions });
    this.#patienceMs = loaded.eventPatienceMs;
    this.#executors = executors;
    this.#dialect = dialect;
    this.#cache = cache;
    this.#background = new Background(maxBackground, onBackgroundEnd);
    this.#stateFolder = stateFolder;
    const folder = stateFolder === false ? undefined : stateFolder;
    this.#runner = new RuleRunner(executors, this.#background, new Once(folder), this.#listener, folder);
    this.exceptions = loaded.settings?.flatMap(({ settings }) => settings.exceptions ?? []) ?? [];
  }

  /** The exceptions of the configuration. Each rule has those that apply to it. */
  readonly exceptions: readonly RuleException[];

  /** All rules, in verdict order. */
  get rules(): readonly Rule[] {
    return this.#inForce.index.rules;
  }

  /** Problems in the configuration. For each error, the index has a broken rule that fails at its event. */
  get problems(): readonly Problem[] {
    return this.#inForce.problems;
  }

  /** The patience that the configuration sets for an event, in milliseconds. `undefined` if it sets none. */
  get patienceMs(): number | undefined {
    return this.#patienceMs;
  }

  /** Counts the rules that run in the background, and those that were not started because the limit was reached. */
  get background(): BackgroundCounts {
    return this.#background.counts;
  }

  /** Checks which rules can run: reads and admits modules, and starts worker threads. */
  prepare(): Promise<void> {
    return this.#inForce.prepare();
  }

  /**
   * Adds rules for the rest of the session. Resolves to a function that removes the rules. Throws `HOOK_API_MISUSE` if
   * a rule is invalid, and then adds none. A valid rule that cannot run is added; the rule fails at its events, and
   * `problems` reports it. Registered rules have the trust of the user's rules. Settings from managed files, the user's
   * files and the command line apply to registered rules; settings from project files do not.
   */
  async register(inputs: readonly RuleInput[]): Promise<() => void> {
    this.#refuseWhenClosed();
    return this.#inForce.register(inputs, () => this.#refuseWhenClosed());
  }

  /**
   * Runs all rules that match an event. Throws for an unknown event and for a payload that does not fit the event.
   * Failures of hooks are reported in the verdict.
   */
  async dispatch(eventName: string, payload: JsonObject, options: DispatchOptions = {}): Promise<Verdict> {
    return (await this.#judge(eventName, payload, options)).verdict;
  }

  /** `question` is the trust of the rule that asked for the user in the preempt lane; see `yieldsTo`. */
  async #judge(
    eventName: string,
    payload: JsonObject,
    options: DispatchOptions,
    question?: number,
  ): Promise<{ readonly verdict: Verdict; readonly ruleOutcomes: readonly RuleOutcome[] }> {
    this.#refuseWhenClosed();
    checkDispatchOptions(options);
    const accepted = this.#accept(eventName, payload, options.lane);
    const { event } = accepted;
    const { index } = this.#inForce;
    const budget = new MatchingBudget();
    const select = (shown: HookEvent): readonly Rule[] => {
      const selected = selectRules(index, shown, options, budget);
      return question === undefined ? selected : selected.filter((rule) => !yieldsTo(question, rule));
    };
    const rules = select(event);
    const about = { event: event.name, payload: event.payload, matchedRules: rules.length };
    notify(this.#listener, { type: "dispatch_started", ...about });
    const ruleOutcomes = rules.length === 0 ? [] : await this.#ask(rules, accepted, { index, select }, options);
    const verdict = aggregate(event, ruleOutcomes, this.problems);
    this.#recording = recordRefusals(verdict, event, ruleOutcomes, this.#stateFolder) ?? this.#recording;
    if (event.name === "SessionEnd") this.#executors.sessionEnded(event);
    notify(this.#listener, { type: "dispatch_finished", ...about, verdict });
    return { verdict, ruleOutcomes };
  }

  async #ask(
    rules: readonly Rule[],
    { event, contract }: AcceptedEvent,
    { index, select }: { readonly index: RuleIndex; select(event: HookEvent): readonly Rule[] },
    options: DispatchOptions,
  ): Promise<readonly RuleOutcome[]> {
    const foreground = options.only === "async";

    // Node.js warns of a leak above ten listeners, and each running rule adds a listener to the signal.
    if (options.signal instanceof AbortSignal) setMaxListeners(0, options.signal);
    const startedAt = options.startedAt ?? performance.now();
    const statedMs = options.patienceMs ?? options.budgetMs ?? this.#patienceMs;
    const runOptions: RuleRunOptions = {
      contract,
      signal: contract.survivesCancellation ? undefined : options.signal,
      patience: foreground
        ? patienceForWork(rules, startedAt, options.patienceMs)
        : patienceFor(rules, startedAt, statedMs, usualPatienceMs(this.#dialect, event.name)),
      isFirst: true,
      foreground,
      claimed: new Map(),
    };
    // Async rules run together, because they cannot rewrite and so need not see each other's rewrites.
    if (foreground) return lookTogether(this.#runner, rules, event, "first", runOptions);
    const first = await lookByLane(this.#runner, index, select, event, runOptions);
    const second =
      options.secondLook === false ? [] : await runSecondLook(this.#runner, select, event, first, runOptions);
    return [...first, ...second];
  }

  /** Returns the async rules that match an event. Runs nothing. Throws like {@link dispatch}. */
  asyncRulesFor(eventName: string, payload: JsonObject, layers?: readonly Layer[]): readonly Rule[] {
    const options = { only: "async", ...(layers === undefined ? {} : { layers }) } as const;
    return selectRules(this.#inForce.index, this.#accept(eventName, payload).event, options);
  }

  /**
   * Takes one tool call from approval to result: rules, the host's policy, the user, the tool, then rules again.
   * Rejects only on misuse, like {@link dispatch}. All other failures are in the result.
   */
  toolCall(call: ToolCall, host: ToolCallHost): Promise<ToolCallResult> {
    let question: number | undefined;
    const dispatch: Dispatch = async (name, payload, options) => {
      const askedAs = options.lane === "default" ? question : undefined;
      const { verdict, ruleOutcomes } = await this.#judge(name, payload, options, askedAs);
      if (options.lane === "preempt") question = trustOfQuestion(ruleOutcomes) ?? question;
      return verdict;
    };
    return runToolCall(dispatch, call, host, { dialect: this.#dialect });
  }

  /** Returns for each rule of the event whether it applies, and why. Runs nothing. Throws like {@link dispatch}. */
  explain(eventName: string, payload: JsonObject): readonly Explanation[] {
    const { event } = this.#accept(eventName, payload);
    const { index } = this.#inForce;
    const selected = new Set(index.select(event));
    return this.rules
      .filter((rule) => rule.event === eventName || rule.event === "*")
      .map((rule) => ({ rule, applies: selected.has(rule), why: index.describe(rule, event) }));
  }

  /**
   * Stops everything. Rules in the background first get their remaining time. Resolves when everything has ended, or
   * when the rest cannot be stopped.
   */
  close({ backgroundMs, threadsMs }: CloseOptions = {}): Promise<void> {
    const background = this.#background.settled();
    const waited =
      backgroundMs === undefined
        ? background
        : Promise.race([background, sleep(backgroundMs, undefined, { ref: false })]);
    this.#closing ??= Promise.all([waited, this.#recording, this.#cache?.settled()]).then(() =>
      this.#executors.close(threadsMs),
    );
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(eventName: string, payload: JsonObject, lane?: DispatchOptions["lane"]): AcceptedEvent {
    return acceptEvent(eventName, payload, this.#dialect, lane, this.#toolSpellings);
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new HookError("HOOK_ENGINE_CLOSED", "the engine is closed");
  }
}
