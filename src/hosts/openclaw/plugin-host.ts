import type { Engine } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import { BackgroundPool } from "./background-pool.ts";
import { type HookName, isHookName } from "./catalogue.ts";
import { completeContext, completeEvent } from "./context.ts";
import { dispatchHook } from "./dispatch-hook.ts";
import { EngineJudge } from "./engine-judge.ts";
import { type FailurePolicy, Failures, noteUntold } from "./failure.ts";
import type { HookResult } from "./hook-results.ts";
import { type Log, STDERR_LOG, safeText } from "./log-text.ts";
import type { AgentRunResult } from "./merges/agent-run.ts";
import type { HookContext, HookEventData, HookHandler, HookOptions, PluginEntry } from "./plugin-entry.ts";
import { HOST_PLUGIN, Registry } from "./registry.ts";
import { type Run, runSync, runTargetedClaim, type SyncResult, type TargetedClaim } from "./run-others.ts";
import {
  type NormalCall,
  normalCall,
  type PluginToolCall,
  type PluginToolCallResult,
  type ToolCallOptions,
} from "./tool-call.ts";
import { type GateAnswer, type GateOptions, ToolCallGate } from "./tool-call-gate.ts";
import { type ToolResultMessage, toolResultMessage, withBoundedDetails, withoutDetails } from "./tool-result.ts";
import { guarded, type Tool } from "./wrap-tool.ts";

export interface PluginHostOptions {
  /** OpenClaw's settings. The host reads `plugins.entries.<id>.hooks`. */
  readonly config?: unknown;
  /** An engine with `dialect: "openclaw"` whose rules judge the same events after the plugins. The caller closes it. */
  readonly engine?: Engine;
  /** `faithful` follows OpenClaw's page, also where OpenClaw's code differs or where the page is less safe. */
  readonly compat?: "safer" | "faithful";
  /** The log. Default: standard error. */
  readonly log?: Log;
  /** What the failure of a handler means at each hook, if it differs from OpenClaw's own policy. */
  readonly failurePolicy?: FailurePolicy;
}

/** Creates a host for OpenClaw's plugins: it registers their hooks, asks them as OpenClaw does, and runs tool calls. */
export function createPluginHost(options: PluginHostOptions = {}): PluginHost {
  return new PluginHost(options);
}

export class PluginHost {
  readonly #registry: Registry;
  readonly #failures: Failures;
  readonly #engine: Engine | undefined;
  readonly #isFaithful: boolean;
  readonly #log: Log;
  readonly #pool: BackgroundPool;
  readonly #gate: ToolCallGate;

  /** Use {@link createPluginHost} instead of this constructor. */
  constructor({ config, engine, compat = "safer", log = STDERR_LOG, failurePolicy = {} }: PluginHostOptions) {
    this.#isFaithful = compat === "faithful";
    this.#log = log;
    this.#engine = engine;
    this.#registry = new Registry({ config, log, isFaithful: this.#isFaithful });
    this.#failures = new Failures(failurePolicy, log);
    this.#pool = new BackgroundPool(log);
    this.#gate = new ToolCallGate({
      isJudged: (toolName) =>
        this.#registry.at("before_tool_call", toolName).length > 0 ||
        EngineJudge.at("before_tool_call", engine) !== undefined,
      ask: (event, ctx) => this.run("before_tool_call", event, ctx),
      isFaithful: this.#isFaithful,
      log,
    });
  }

  /** Registers the embedder's own handler. Throws `HOOK_API_MISUSE` for an invalid registration. */
  on(hook: HookName, handler: HookHandler, options?: HookOptions): void {
    this.#registry.add(HOST_PLUGIN, hook, handler, options, true);
  }

  /**
   * Registers a plugin. Throws errors of the plugin's `register`; then none of its handlers is registered, because a
   * missing guard must not go unnoticed. `bundled` plugins may see conversations without permission.
   */
  use(entry: PluginEntry, options?: { readonly bundled?: boolean }): void {
    this.#registry.use(entry, options);
  }

  hasHooks(hook: HookName | (string & {})): boolean {
    return this.#registry.all(hook).length > 0 || EngineJudge.at(hook, this.#engine) !== undefined;
  }

  /**
   * Asks all handlers of a hook. Rejects with `HookFailure` if a handler fails and the hook fails closed, and with
   * `HOOK_API_MISUSE` for an event that cannot be copied.
   */
  async run<Name extends HookName>(
    hook: Name,
    event: HookEventData,
    ctx?: HookContext,
  ): Promise<HookResult<Name> | undefined>;
  /** Runs a hook that this host does not know. Calls all its handlers, and ignores their results. */
  async run(hook: string & {}, event: HookEventData, ctx?: HookContext): Promise<undefined>;
  async run(hook: string, event: HookEventData, ctx?: HookContext): Promise<unknown> {
    const run = this.#runOf(hook as HookName, event, ctx);
    return dispatchHook(run, { engine: this.#engine, isFaithful: this.#isFaithful });
  }

  /**
   * Runs the hooks on a write that must not wait. Rules of an engine are asynchronous and cannot be asked here. If a
   * rule could stop the write, the write is stopped. Use `run` to ask the rules.
   */
  runSync(
    hook: "tool_result_persist" | "before_message_write",
    event: HookEventData,
    ctx?: HookContext,
  ): SyncResult | undefined {
    const said = runSync(this.#runOf(hook, event, ctx));
    if (EngineJudge.at(hook, this.#engine)?.shuts !== true) return said;
    this.#log.error(
      safeText(`${hook}: the engine's rules cannot be asked by runSync, so the write is stopped; use run`),
    );
    return { ...said, block: true };
  }

  /** Offers a claim to one plugin's handlers. */
  claimBy(pluginId: string, hook: HookName, event: HookEventData, ctx?: HookContext): Promise<TargetedClaim> {
    const run = this.#runOf(hook, event, ctx);
    const registrations = run.registrations.filter((one) => one.pluginId === pluginId);
    return runTargetedClaim({ ...run, registrations }, pluginId === HOST_PLUGIN || this.#registry.hasPlugin(pluginId));
  }

  /** Calls observers without waiting. Returns `false` if the event is dropped because too many events wait. */
  fire(hook: HookName | (string & {}), event: HookEventData, ctx?: HookContext): boolean {
    return this.#pool.add(`${hook}, fired`, () => this.run(hook, event, ctx));
  }

  /** Resolves when all fired events are done. */
  settled(): Promise<void> {
    return this.#pool.settled();
  }

  /** Whether an agent's run may begin. Never rejects, because a failure blocks the run. */
  async beforeAgentRun(event: HookEventData, ctx?: HookContext): Promise<AgentRunResult> {
    try {
      return (await this.run("before_agent_run", event, ctx)) ?? { outcome: "pass" };
    } catch (error) {
      noteUntold(error, this.#log);
      return { outcome: "block", reason: "Blocked because before_agent_run hook failed" };
    }
  }

  /**
   * Whether a tool call may run, and with which parameters. Asks the user if needed. Never rejects, because a failure
   * blocks the call.
   */
  beforeToolCall(call: PluginToolCall, ctx: HookContext = {}, options: GateOptions = {}): Promise<GateAnswer> {
    return this.#gate.ask(call, ctx, options);
  }

  /** Runs a tool call: hooks, approval, the tool, observers, and the hooks on the result for the transcript. */
  async toolCall(call: PluginToolCall, options: ToolCallOptions, ctx: HookContext = {}): Promise<PluginToolCallResult> {
    const normal = normalCall(call);
    const gate = await this.beforeToolCall(call, ctx, options);
    if (gate.status === "blocked") return gate;
    const { params } = gate;
    const { abortSignal: signal } = ctx;
    const begun = performance.now();
    let result: unknown;
    let error: string | undefined;
    try {
      result = await options.execute(params, signal === undefined ? {} : { signal });
    } catch (thrown) {
      result = thrown;
      error = thrown instanceof Error ? thrown.message : String(thrown);
    }
    const durationMs = performance.now() - begun;
    const outcome = error === undefined ? { result } : { error };
    this.fire("after_tool_call", { ...normal, params, ...outcome, durationMs }, ctx);
    const message = toolResultMessage(normal, error ?? result, error !== undefined);
    const persisted = await this.persistToolResult(message, normal, ctx);
    return {
      status: error === undefined ? "executed" : "failed",
      params,
      result,
      message: withBoundedDetails(persisted),
      replay: withoutDetails(persisted),
    };
  }

  /** Applies the hooks and rules to a tool's result. Withholds the result if a hook that fails closed fails. */
  async persistToolResult(
    message: ToolResultMessage,
    call: NormalCall,
    ctx: HookContext = {},
  ): Promise<ToolResultMessage> {
    const { toolName, toolCallId } = call;
    const event = { toolName, ...(toolCallId === undefined ? {} : { toolCallId }), message };
    try {
      const kept = (this.runSync("tool_result_persist", event, ctx)?.message ?? message) as ToolResultMessage;
      const judge = EngineJudge.at("tool_result_persist", this.#engine);
      const said = await judge?.ask({ ...event, message: kept }, completeContext(event, ctx));
      return (said?.["message"] ?? kept) as ToolResultMessage;
    } catch (error) {
      noteUntold(error, this.#log);
      return toolResultMessage(call, "The result is withheld because a tool_result_persist hook failed", true);
    }
  }

  /** Wraps a tool so that its hooks run. If the tool is wrapped again, its hooks still run only once. */
  wrapTool<T extends Tool>(tool: T, ctx: HookContext = {}, approve?: ToolCallOptions["approve"]): T {
    return guarded(tool, async (inner, toolCallId, params, abortSignal) => {
      const signal = abortSignal ?? ctx.abortSignal;
      const context = signal === undefined ? ctx : { ...ctx, abortSignal: signal };
      const answer = await this.beforeToolCall(
        { toolName: inner.name, params, toolCallId, ...(ctx.runId === undefined ? {} : { runId: ctx.runId }) },
        context,
        approve === undefined ? {} : { approve },
      );
      if (answer.status === "blocked") throw new Error(answer.reason);
      return inner.execute(toolCallId, answer.params, signal);
    });
  }

  /** Returns the parameters with which a call ran. Only the first caller gets them. */
  consumeAdjustedParams(toolCallId: string, runId?: string): Readonly<Record<string, unknown>> | undefined {
    return this.#gate.consumeAdjustedParams(toolCallId, runId);
  }

  #runOf(hook: HookName, event: HookEventData, ctx: HookContext | undefined): Run {
    const context = completeContext(event, ctx);
    const registrations = this.#registry.at(hook, event["toolName"], context);
    if (!isHookName(hook) && registrations.length === 0)
      throw new HookError("HOOK_API_MISUSE", `there is no hook "${String(hook)}"`);
    const whole = completeEvent(hook, event, context);
    return { hook, registrations, event: whole, ctx: context, failures: this.#failures };
  }
}
