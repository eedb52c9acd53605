import type { ConfigFile } from "../config/load.ts";
import { HookError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../event.ts";
import type { HandOver } from "../executors/command/command-executor.ts";
import type { AskServers } from "../executors/mcp/mcp-tool-executor.ts";
import type { TestsLater } from "../executors/wasm/fixtures/guard-tests.ts";
import type { StateStore } from "../executors/wasm/granted/state-store.ts";
import type { SandboxOptions } from "../executors/wasm/pool/guest-pool.ts";
import type { ModelFunction } from "../models/model.ts";
import type { HookOutcome } from "../outcome.ts";
import type { HookFunction, Layer, Rule } from "../rule.ts";
import type { ActivityListener } from "./activity.ts";

/** What callers of the engine may say. */

export interface EngineOptions {
  /** A configuration in memory, in the `hookbox` format. Counts as the `command-line` layer. */
  readonly config?: unknown;
  /**
   * Configuration files: paths, or paths with their layer and format. Relative to `cwd`. Without `layer`, a file has the rights
   * of a project's, wherever it lies.
   */
  readonly configFiles?: readonly (string | ConfigFile)[];
  /** Default `process.cwd()`. */
  readonly cwd?: string;
  /** Dialect of the events that will be dispatched; decides per-agent overrides. Default `claude-code`. */
  readonly dialect?: string;
  /** All names of a tool, given one of them, for agents with tools of their own. Default: as the dialect has it. */
  readonly toolSpellings?: (name: string) => readonly string[];
  readonly sandbox?: SandboxOptions;
  /**
   * Folder in which guards' variables are kept, and which rules with `once` have run, for all processes that use the same
   * folder; a function is called when the folder is first needed. Only the user may be able to enter it. Default: `false`,
   * everything is kept in memory.
   */
  readonly stateFolder?: string | (() => string) | false;
  /**
   * Where the variables are kept of guards whose rules grant `state`. Default: in `stateFolder`; without one in memory, of
   * the 1,024 sessions that were used last, until the session or the engine ends.
   */
  readonly stateStore?: StateStore;
  /**
   * Where admitted modules and rules are kept for the next process; `false` for nowhere. Kept rules are only read with
   * `prepare: "on-demand"`.
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
   * Which MCP servers are started when rules are prepared, to see whether they have the tools that rules name: `own`
   * (the default), those of all rules but a `project` file's, which may have come with a repository; `all`; or `none`.
   * Every rule starts its server at its first event in any case.
   */
  readonly askServers?: AskServers;
  /**
   * Most rules that may be at work without being waited for, and as many of project files. Further async rules are not
   * started. Default 64.
   */
  readonly maxBackground?: number;
  /** Hears how each rule ended that was not waited for, and of each that was not started as too many were running. */
  readonly onBackgroundEnd?: (report: BackgroundReport) => void;
  /** Models of the embedder's own: rules that name `NAME/MODEL` ask the function of that name. */
  readonly models?: Readonly<Record<string, ModelFunction>>;
  /** Hears what goes on, as it happens. Whatever it throws is dropped. */
  readonly onActivity?: ActivityListener;
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
  /**
   * Takes wasm rules whose modules have fixtures that were not run yet, so that another process runs them. By default the
   * engine runs them beside its events.
   */
  readonly testsLater?: TestsLater;
}

/** The end of a rule that was not waited for. */
export interface BackgroundReport {
  readonly rule: string;
  readonly event: string;
  readonly outcome: HookOutcome;
  /** What the agent is to be told at once, of a rule that may wake it up; else `null`. */
  readonly wakes: string | null;
}

/** A rule from code: an entry of a configuration file, with its event and matcher. */
interface ConfiguredRuleInput extends JsonObject {
  readonly event: string;
  readonly type: string;
}

/** A rule whose hook is a function. Takes the fields that every hook has, such as `timeoutMs`. */
interface FunctionRuleInput {
  readonly event: string;
  readonly type: "function";
  readonly run: HookFunction;
  readonly [field: string]: JsonValue | HookFunction;
}

export type RuleInput = ConfiguredRuleInput | FunctionRuleInput;

export interface CloseOptions {
  /** How long rules that are not waited for may still run. Default: until their `timeoutMs` or their patience ends. */
  readonly backgroundMs?: number;
  /** How long threads that are told to end are waited for. Default 100. */
  readonly threadsMs?: number;
}

/** Why a rule does or does not apply to one event. */
export interface Explanation {
  readonly rule: Rule;
  readonly applies: boolean;
  readonly why: string;
}

export interface DispatchOptions {
  /**
   * Cancels the dispatch: the verdict says `cancelled`, which is neither a denial nor a permission. Events that tidy up
   * after the agent are not cancelled.
   */
  readonly signal?: AbortSignal;
  /**
   * `performance.now()` from which the event's patience counts. Default: now. A process that the agent started for this
   * one event passes its own start, because the agent's clock runs from there.
   */
  readonly startedAt?: number;
  /**
   * Only rules of this lane. Rules that could not be loaded stand in both. Default: the preempt lane, then the others;
   * a permission of the preempt lane is advice.
   */
  readonly lane?: "preempt" | "default";
  /**
   * `sync`: async rules are not started. `async`: only they run, and are waited for; they still decide nothing. Default:
   * all rules, async ones in the background.
   */
  readonly only?: "sync" | "async";
  /** Only rules of these layers. Default: all. */
  readonly layers?: readonly Layer[];
  /**
   * How long the agent waits for the whole event, looking again after a rewrite included. The verdict comes a tenth of it
   * earlier, and at least half a second: that is for delivering it. Rules without an answer have failed by then. Default:
   * `defaults.event.patienceMs` of the configuration; without it, the agent's usual patience or the longest `timeoutMs`
   * of a rule and a minute, whichever is longer.
   */
  readonly patienceMs?: number;
  /** The old name of `patienceMs`, which has precedence. */
  readonly budgetMs?: number;
  /**
   * `false` does not show a rewritten input to the rules once more: the caller puts it before the rules of another
   * event next.
   */
  readonly secondLook?: boolean;
}

export function checkEngineOptions({ sandbox = {}, maxBackground, askServers, stateStore }: EngineOptions): void {
  if (stateStore !== undefined && (typeof stateStore?.load !== "function" || typeof stateStore.save !== "function")) {
    throw new HookError("HOOK_API_MISUSE", "stateStore must have the functions load and save");
  }
  checkWord("askServers", askServers, ["all", "own", "none"]);
  checkWord("sandbox.boundary", sandbox.boundary, ["thread", "process"]);
  checkWhole("sandbox.threads", sandbox.threads, 1);
  checkWhole("sandbox.maxQueue", sandbox.maxQueue, 0);
  checkWhole("maxBackground", maxBackground, 0);
}

export function checkDispatchOptions({ patienceMs, budgetMs, lane, only }: DispatchOptions): void {
  for (const [name, value] of Object.entries({ patienceMs, budgetMs })) {
    if (value === undefined || (Number.isFinite(value) && value > 0)) continue;
    throw new HookError("HOOK_API_MISUSE", `${name} must be a positive number of milliseconds, not ${value}`);
  }
  checkWord("lane", lane, ["preempt", "default"]);
  checkWord("only", only, ["sync", "async"]);
}

function checkWhole(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new HookError("HOOK_API_MISUSE", `${name} must be a whole number of at least ${least}, not ${value}`);
}

/** A misspelt word would mean "all rules", or none. */
function checkWord(name: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return;
  throw new HookError("HOOK_API_MISUSE", `${name} must be one of ${words.join(", ")}, not ${JSON.stringify(value)}`);
}
