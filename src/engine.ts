import { setTimeout as sleep } from "node:timers/promises";
import { aggregate, type Judgement, rewrittenInput } from "./aggregate/aggregate.ts";
import { limitReply } from "./aggregate/may.ts";
import { CacheFolder, defaultCacheFolder } from "./cache/cache-folder.ts";
import { type ConfigFile, type LoadedConfig, loadConfig } from "./config/load.ts";
import { HookError, type Problem } from "./errors.ts";
import { type HookEvent, isJsonObject, type JsonObject } from "./event.ts";
import type { EventContract } from "./events/contract.ts";
import { contractOf, EVENT_NAMES, subjectOf } from "./events/lookup.ts";
import { CANCELLED, runBounded } from "./executors/bounded-run.ts";
import { BrokenExecutor } from "./executors/broken/broken-executor.ts";
import { CommandExecutor, type HandOver } from "./executors/command/command-executor.ts";
import type { Executor } from "./executors/executor.ts";
import { ExecutorRegistry } from "./executors/registry.ts";
import type { PoolOptions } from "./executors/wasm/pool.ts";
import { WasmExecutor } from "./executors/wasm/wasm-executor.ts";
import { RuleIndex } from "./matcher/rule-index.ts";
import { describeMatch } from "./matcher/tool-name.ts";
import type { HookOutcome } from "./outcome.ts";
import type { Rule } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

/** The whole way of an event: match, run, limit, look again after a rewrite, aggregate. */

export interface EngineOptions {
  /** A configuration in memory, in the `hookbox` format. Counts as the `command-line` layer. */
  readonly config?: unknown;
  /** Configuration files: paths, or paths with their layer and format. Relative to `cwd`. */
  readonly configFiles?: readonly (string | ConfigFile)[];
  /** Default `process.cwd()`. */
  readonly cwd?: string;
  /** Dialect of the events that will be dispatched; decides per-agent overrides. Default `claude-code`. */
  readonly dialect?: string;
  readonly sandbox?: PoolOptions;
  /**
   * Where admitted modules, and with `prepare: "on-demand"` rules, are kept for the next process; `false` for nowhere.
   * Default: `hookbox` in the user's cache folder. A folder that others may write to is not used.
   */
  readonly cacheDir?: string | false;
  /**
   * Whether `createEngine` waits until every rule is known to be able to run (`all`, the default), or rules are
   * prepared when an event first wants them (`on-demand`, for processes that serve one event: guards are tried in the
   * caller's own thread first, with little fuel, and nothing but a clean answer counts).
   */
  readonly prepare?: "all" | "on-demand";
  /**
   * Hears how many threads do not end although they were told to: a second after that, when one of them does end,
   * and when the engine is closed.
   */
  readonly onHungThreads?: (count: number) => void;
  /**
   * Takes over a command hook that has detached itself, so that it outlives the engine, and says whether it could. By
   * default the engine looks after it, and ends it when it is closed.
   */
  readonly handOver?: HandOver;
}

/** A rule from code: an entry of a configuration file, with its event and matcher. */
export interface RuleInput extends JsonObject {
  readonly event: string;
  readonly type: string;
}

export interface CloseOptions {
  /** How long async rules may still run. Default: until their own deadlines. */
  readonly backgroundMs?: number;
  /** How long threads that are told to end are waited for. Default 100. */
  readonly threadsMs?: number;
}

/** Async rules that one event may start. */
export const MAX_ASYNC_RULES = 64;

/** Why a rule does or does not apply to one event. */
export interface Explanation {
  readonly rule: Rule;
  readonly applies: boolean;
  readonly why: string;
}

export interface DispatchOptions {
  /** Cancels the dispatch: the verdict says `cancelled`, which is neither a denial nor a permission. */
  readonly signal?: AbortSignal;
  /**
   * `performance.now()` at which the deadlines began. Default: now. A process that the agent started for this one
   * event passes its own start, as the agent's clock runs from there.
   */
  readonly startedAt?: number;
  /**
   * Asks the rules that are waited for and leaves async ones alone, or runs async ones in the foreground and nothing else.
   * Default: both, async ones in the background.
   */
  readonly only?: "sync" | "async";
}

/** Rejects only on misuse of the API. Whatever is wrong with the configuration becomes `engine.problems`. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  checkSandbox(options.sandbox ?? {});
  const cwd = options.cwd ?? process.cwd();
  const files = (options.configFiles ?? []).map((file) => (typeof file === "string" ? { file } : file));
  const inline =
    options.config === undefined
      ? []
      : [{ name: "config", value: options.config, layer: "command-line" as const, baseDir: cwd }];
  const { cacheDir = defaultCacheFolder() } = options;
  const onDemand = options.prepare === "on-demand";
  const cache = onDemand && cacheDir !== false ? new CacheFolder(cacheDir, "rules") : undefined;
  const loaded = await loadConfig(files, inline, cwd, { cache });
  const executors = new ExecutorRegistry([
    new BrokenExecutor(),
    new CommandExecutor({ handOver: options.handOver }),
    new WasmExecutor({
      ...options.sandbox,
      cacheDir,
      triesHereFirst: onDemand,
      fixtures: onDemand ? "run-once" : "run",
      onHungThreads: options.onHungThreads,
    }),
  ]);
  const engine = new Engine(loaded, executors, { dialect: options.dialect ?? "claude-code", cwd, cache });
  if (!onDemand) await engine.prepare();
  return engine;
}

function checkSandbox({ threads, maxQueue }: PoolOptions): void {
  const check = (name: string, value: number | undefined, least: number): void => {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
    throw new HookError("HOOK_API_MISUSE", `sandbox.${name} must be a whole number of at least ${least}, not ${value}`);
  };
  check("threads", threads, 1);
  check("maxQueue", maxQueue, 0);
}

export class Engine {
  #index: RuleIndex;
  #problems: readonly Problem[];
  readonly #executors: ExecutorRegistry;
  readonly #dialect: string;
  readonly #cwd: string;
  readonly #cache: CacheFolder | undefined;
  readonly #background = new Set<Promise<unknown>>();
  #registrations = 0;
  #closing: Promise<void> | undefined;

  /** Use {@link createEngine}. */
  constructor(
    { rules, problems }: LoadedConfig,
    executors: ExecutorRegistry,
    {
      dialect,
      cwd,
      cache,
    }: { readonly dialect: string; readonly cwd: string; readonly cache: CacheFolder | undefined },
  ) {
    this.#index = new RuleIndex(rules);
    this.#problems = problems;
    this.#executors = executors;
    this.#dialect = dialect;
    this.#cwd = cwd;
    this.#cache = cache;
  }

  /** All rules, in the order in which verdicts count them. */
  get rules(): readonly Rule[] {
    return this.#index.rules;
  }

  /** What is wrong with the configuration. Each error also stands at its gate as a rule that fails. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Finds out which rules can run: modules are read and admitted, worker threads started. */
  async prepare(): Promise<void> {
    const found = await Promise.all(
      this.rules.map((rule) => this.#executors.get(rule.handler.type).prepare?.(rule) ?? []),
    );
    const known = new Set(this.#problems.map((problem) => JSON.stringify(problem)));
    const fresh = found.flat().filter((problem) => !known.has(JSON.stringify(problem)));
    this.#problems = Object.freeze([...this.#problems, ...fresh]);
  }

  /**
   * Adds rules for the rest of the session. Resolves to a function that takes them away again. Throws
   * `HOOK_API_MISUSE` when a rule is not valid; then none is added.
   */
  async register(inputs: readonly RuleInput[]): Promise<() => void> {
    this.#refuseWhenClosed();
    const name = `registered#${++this.#registrations}`;
    const hooks: Record<string, unknown[]> = Object.create(null) as Record<string, unknown[]>;
    for (const { event, matcher, ...handler } of inputs) {
      hooks[event] = [...(hooks[event] ?? []), { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }];
    }
    const loaded = await loadConfig([], [{ name, value: { hooks }, layer: "session", baseDir: this.#cwd }], this.#cwd);
    const error = loaded.problems.find((problem) => problem.severity === "error");
    if (error !== undefined) {
      throw new HookError("HOOK_API_MISUSE", error.message, {
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        ...(error.place === undefined ? {} : { place: error.place }),
      });
    }
    const added = new Set(loaded.rules);
    this.#index = new RuleIndex([...this.rules, ...added]);
    return () => {
      this.#index = new RuleIndex(this.rules.filter((rule) => !added.has(rule)));
    };
  }

  /**
   * Asks all rules that an event concerns. Throws for an unknown event and for a payload that is not of the event's
   * shape; whatever a hook does is in the verdict.
   */
  async dispatch(eventName: string, payload: JsonObject, options: DispatchOptions = {}): Promise<Verdict> {
    this.#refuseWhenClosed();
    const { event, contract } = this.#accept(eventName, payload);
    const rules = this.#index
      .select(event)
      .filter((rule) => options.only === undefined || rule.async === (options.only === "async"))
      .slice(0, options.only === "async" ? MAX_ASYNC_RULES : undefined);
    if (rules.length === 0) return aggregate(event, [], this.#problems);

    const startedAt = options.startedAt ?? performance.now();
    const first = await this.#look(
      rules,
      event,
      contract,
      "first",
      startedAt,
      options.signal,
      options.only === "async",
    );
    const rewritten = rewrittenInput(event, first);
    const judgements =
      rewritten === undefined
        ? first
        : [...first, ...(await this.#lookAgain(event, contract, first, rewritten, options.signal))];
    return aggregate(event, judgements, this.#problems);
  }

  /** The async rules that an event concerns. Throws like {@link dispatch}. */
  asyncRulesFor(eventName: string, payload: JsonObject): readonly Rule[] {
    return this.#index.select(this.#accept(eventName, payload).event).filter((rule) => rule.async);
  }

  /** For every rule of the event: whether it applies, and why. Runs nothing; throws like {@link dispatch}. */
  explain(eventName: string, payload: JsonObject): readonly Explanation[] {
    const { event, contract } = this.#accept(eventName, payload);
    const selected = new Set(this.#index.select(event));
    return this.rules
      .filter((rule) => rule.event === eventName || rule.event === "*")
      .map((rule) => ({
        rule,
        applies: selected.has(rule),
        why: describeMatch(this.#index.matcherOf(rule), subjectOf(contract, event), contract),
      }));
  }

  /**
   * Stops everything, async rules after they have had their time. Resolves when nothing is left behind, or nothing
   * more can be done about it.
   */
  close({ backgroundMs, threadsMs }: CloseOptions = {}): Promise<void> {
    const background = Promise.allSettled([...this.#background]);
    const waited =
      backgroundMs === undefined
        ? background
        : Promise.race([background, sleep(backgroundMs, undefined, { ref: false })]);
    this.#closing ??= Promise.all([waited, this.#cache?.settled()]).then(() => this.#executors.close(threadsMs));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new HookError("HOOK_ENGINE_CLOSED", "the engine is closed");
  }

  #accept(eventName: string, payload: JsonObject): { event: HookEvent; contract: EventContract } {
    const contract = contractOf(eventName, this.#dialect);
    if (contract === undefined) {
      throw new HookError("HOOK_EVENT_UNKNOWN", `unknown event "${eventName}"`, {
        hint: `known events: ${EVENT_NAMES.join(", ")}`,
      });
    }
    if (!isJsonObject(payload)) throw new HookError("HOOK_PAYLOAD_INVALID", "the payload must be a JSON object");
    const missing = contract.required.find((field) => typeof payload[field] !== "string");
    if (missing !== undefined) {
      throw new HookError("HOOK_PAYLOAD_INVALID", `${eventName}: the payload needs a "${missing}" that is a string`);
    }
    const named = payload["hook_event_name"];
    if (named !== undefined && named !== eventName) {
      throw new HookError(
        "HOOK_PAYLOAD_INVALID",
        `the payload's hook_event_name is ${JSON.stringify(named)}, and the event is ${eventName}`,
      );
    }
    return {
      event: { name: eventName, dialect: this.#dialect, payload: { ...payload, hook_event_name: eventName } },
      contract,
    };
  }

  async #look(
    rules: readonly Rule[],
    event: HookEvent,
    contract: EventContract,
    look: Judgement["look"],
    startedAt: number,
    signal: AbortSignal | undefined,
    foreground = false,
  ): Promise<Judgement[]> {
    const judge = async (rule: Rule, since: number): Promise<Judgement> => ({
      rule,
      outcome: await this.#run(rule, event, since, signal, foreground),
      look,
    });
    if (contract.order === "parallel") return Promise.all(rules.map((rule) => judge(rule, startedAt)));
    const judgements: Judgement[] = [];
    for (const [position, rule] of rules.entries())
      judgements.push(await judge(rule, position === 0 ? startedAt : performance.now()));
    return judgements;
  }

  /**
   * A rewrite must not carry anything past a rule: all enforcing rules that match the final input judge it once
   * more, but for the one whose rewrite it is.
   */
  async #lookAgain(
    event: HookEvent,
    contract: EventContract,
    first: readonly Judgement[],
    input: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<Judgement[]> {
    const rewritten: HookEvent = { ...event, payload: { ...event.payload, tool_input: input } };
    const author = first.findLast(
      ({ rule, outcome }) =>
        rule.mode === "enforce" && outcome.status === "decided" && outcome.reply.updatedInput === input,
    )?.rule;
    const rules = this.#index
      .select(rewritten)
      .filter((rule) => rule.mode === "enforce" && !rule.async && rule !== author);
    return this.#look(rules, rewritten, contract, "second", performance.now(), signal);
  }

  async #run(
    rule: Rule,
    event: HookEvent,
    startedAt: number,
    signal: AbortSignal | undefined,
    foreground: boolean,
  ): Promise<HookOutcome> {
    if (signal?.aborted === true) return { status: "failed", failure: CANCELLED, receipt: { micros: 0 } };
    const executor = this.#executors.get(rule.handler.type);
    if (rule.async && !foreground) return this.#runInBackground(executor, rule, event);
    const result = await runBounded(executor, rule, event, startedAt, signal);
    if (!result.ok) return { status: "failed", failure: result.failure, receipt: result.receipt };
    return limitReply(rule, result);
  }

  /** Nobody waits for it and it decides nothing, but it has its deadline, and `close` waits for its end. */
  #runInBackground(executor: Executor, rule: Rule, event: HookEvent): HookOutcome {
    const run = runBounded(executor, rule, event, performance.now(), undefined).finally(() =>
      this.#background.delete(run),
    );
    this.#background.add(run);
    return {
      status: "abstained",
      receipt: { micros: 0 },
      dropped: ["everything: the rule is async and is not waited for"],
    };
  }
}
