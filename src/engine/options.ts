import type { ConfigFile } from "../config/load.ts";
import { HookError } from "../errors.ts";
import type { HandOver } from "../executors/command/command-executor.ts";
import type { AskServers } from "../executors/mcp/mcp-tool-executor.ts";
import type { TestsLater } from "../executors/wasm/fixtures/guard-tests.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Layer } from "../layer-trust.ts";
import type { ModelFunction } from "../models/model.ts";
import type { HookOutcome } from "../outcome.ts";
import type { HookFunction, Rule } from "../rule.ts";
import type { SandboxOptions } from "../sandbox/index.ts";
import type { StateStore } from "../state/state-store.ts";
import type { ActivityListener } from "./activity.ts";

/** Options for callers of the engine. */

export interface EngineOptions {
  /** A configuration in memory, in the `hookbox` format. Counts as the `command-line` layer. */
  readonly config?: unknown;
  /**
   * Configuration files: paths, or paths with their layer and format. Relative to `cwd`. A file without `layer` has the
   * trust of a project file, regardless of its location.
   */
  readonly configFiles?: readonly (string | ConfigFile)[];
  /** The working directory. Default: `process.cwd()`. */
  readonly cwd?: string;
  /** Dialect of the events that will be dispatched. The dialect selects per-agent overrides. Default: `claude-code`. */
  readonly dialect?: string;
  /** Returns all names of a tool, for agents with tools of their own. Default: the dialect's names. */
  readonly toolSpellings?: (name: string) => readonly string[];
  readonly sandbox?: SandboxOptions;
  /**
   * Folder for guards' variables and for the record of `once` rules. Processes that use the same folder share this
   * state. A function is called when the folder is first needed. Only the user may have access to the folder. Default:
   * `false`, which keeps the state in memory.
   */
  readonly stateFolder?: string | (() => string) | false;
  /**
   * Store for the variables of guards whose rules grant `state`. Default: `stateFolder`. Without a folder, variables
   * are kept in memory for the 1,024 most recently used sessions, until the session or the engine ends.
   */
  readonly stateStore?: StateStore;
  /**
   * Cache folder for admitted modules and rules, used by later processes. `false` disables the cache. Cached rules are
   * read only with `prepare: "on-demand"`. A folder that other users may write to is not used. Default: `hookbox` in
   * the user's cache folder.
   */
  readonly cacheDir?: string | false;
  /**
   * When rules are prepared. With `all`, the default, `createEngine` waits until it is known which rules can run. With
   * `on-demand`, for processes that serve one event, a rule is prepared when an event first needs the rule. Guards then
   * run on the caller's thread first, with little fuel, and only an answer without failure counts. With `later`, for
   * programs that start when an event waits, the same holds, but shared threads that have compiled a guard run the guard.
   * The caller then awaits `engine.prepare()`.
   */
  readonly prepare?: "all" | "on-demand" | "later";
  /**
   * Which MCP servers are started when rules are prepared, to check whether they have the tools that rules name. `own`,
   * the default: the servers of all rules except those of `project` files, which may have come with a repository.
   * `all`: the servers of all rules. `none`: no server. In any case a server is started at the first event of its rule.
   */
  readonly askServers?: AskServers;
  /**
   * `required`: files of the layers `project` and `local` are in force only as the user has approved them with `hookbox
   * trust`. Without an approval, only their built-in guards without grants run. `none`, the default: the program that
   * embeds hookbox decides about its files. The command line uses `required`.
   */
  readonly approvals?: "required" | "none";
  /**
   * Maximum number of rules that run in the background. Rules of project files have a second limit of the same size.
   * Async rules above the limit are not started. Default: 64.
   */
  readonly maxBackground?: number;
  /** Called when a rule in the background ends, and when a rule is not started because the limit was reached. */
  readonly onBackgroundEnd?: (report: BackgroundReport) => void;
  /** Models that the embedding program provides. Rules that name `NAME/MODEL` call the function of that name. */
  readonly models?: Readonly<Record<string, ModelFunction>>;
  /** Called for each activity immediately. Errors that the listener throws are ignored. */
  readonly onActivity?: ActivityListener;
  /**
   * Called with the number of threads that did not end when told to end. Called one second later, when one of these
   * threads ends, and when the engine is closed.
   */
  readonly onHungThreads?: (count: number) => void;
  /**
   * Takes over a command hook that has detached itself, so that the hook outlives the engine. Returns whether it took
   * over the hook. By default the engine looks after the hook, and ends the hook on close.
   */
  readonly handOver?: HandOver;
  /**
   * Receives wasm rules whose fixtures have not run yet, so that another process can run them. By default the engine
   * runs fixtures while it handles events.
   */
  readonly testsLater?: TestsLater;
}

/** How a rule in the background ended. */
export interface BackgroundReport {
  readonly rule: string;
  readonly event: string;
  readonly outcome: HookOutcome;
  /** Text with which a rule that may wake the agent wakes it immediately; otherwise `null`. */
  readonly wakes: string | null;
}

/** A rule from code, with the fields of a hook in a configuration file and with its event and matcher. */
interface ConfiguredRuleInput extends JsonObject {
  readonly event: string;
  readonly type: string;
}

/** A rule whose handler is a function. Accepts the fields that every hook has, such as `timeoutMs`. */
interface FunctionRuleInput {
  readonly event: string;
  readonly type: "function";
  readonly run: HookFunction;
  readonly [field: string]: JsonValue | HookFunction;
}

export type RuleInput = ConfiguredRuleInput | FunctionRuleInput;

export interface CloseOptions {
  /** How long background rules may still run, in milliseconds. Default: until their timeout or patience ends. */
  readonly backgroundMs?: number;
  /** How long to wait for threads that were told to end, in milliseconds. Default: 100. */
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
   * Cancels the dispatch. The verdict is then `cancelled`, which neither denies nor permits. Events that clean up after
   * the agent are not cancelled.
   */
  readonly signal?: AbortSignal;
  /**
   * `performance.now()` from which the event's patience counts. Default: now. A process that the agent started for one
   * event passes its own start time, because the agent's clock starts then.
   */
  readonly startedAt?: number;
  /**
   * Runs only rules of this lane. Broken rules belong to both lanes. Default: the preempt lane, then the other rules. A
   * permission of the preempt lane is then advice.
   */
  readonly lane?: "preempt" | "default";
  /**
   * `sync`: async rules are not started. `async`: only async rules run; the dispatch waits for these rules, but they
   * decide nothing. Default: all rules run, async rules in the background.
   */
  readonly only?: "sync" | "async";
  /** Runs only rules of these layers. Default: all. */
  readonly layers?: readonly Layer[];
  /**
   * How long the agent waits for the whole event, including a second look after a rewrite. To leave time for delivery,
   * the verdict comes earlier: by a tenth of this time, and by at least half a second. Rules without an answer have
   * failed by then. Default: `defaults.event.patienceMs` of the configuration. Without this setting, the default is the
   * agent's usual patience or the longest `timeoutMs` of a rule plus one minute, whichever is longer.
   */
  readonly patienceMs?: number;
  /** The old name of `patienceMs`. If both are set, `patienceMs` counts. */
  readonly budgetMs?: number;
  /**
   * `false` skips the second look after a rewrite. Set if the caller passes the rewritten input to the rules of another
   * event next.
   */
  readonly secondLook?: boolean;
}

export function checkEngineOptions({
  sandbox = {},
  maxBackground,
  askServers,
  stateStore,
  approvals,
}: EngineOptions): void {
  if (stateStore !== undefined && (typeof stateStore?.load !== "function" || typeof stateStore.save !== "function")) {
    throw new HookError("HOOK_API_MISUSE", "stateStore must have the functions load and save");
  }
  checkWord("askServers", askServers, ["all", "own", "none"]);
  checkWord("approvals", approvals, ["required", "none"]);
  checkWord("sandbox.boundary", sandbox.boundary, ["thread", "process"]);
  const { threads } = sandbox;
  checkWhole("sandbox.threads", typeof threads === "object" ? threads.size : threads, 1);
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

/** Throws for a misspelt option, because an unknown word would otherwise select all rules, or none. */
function checkWord(name: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return;
  throw new HookError("HOOK_API_MISUSE", `${name} must be one of ${words.join(", ")}, not ${JSON.stringify(value)}`);
}
