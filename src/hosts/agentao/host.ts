import { agentaoToolsWith } from "../../dialects/agentao/tools.ts";
import type { ToolAliases } from "../../dialects/tool-aliases.ts";
import { createEngine, type Engine, type EngineOptions } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { attachmentsOf, contextsOf, type DispatchedEvent, EventDispatcher } from "./dispatched-event.ts";
import { Observers, type PluginHookFired } from "./observers.ts";
import { captureFlagsIn, type HookReplayRecord } from "./replay.ts";
import type { CompactionType, LifecycleResult } from "./results.ts";
import { AgentaoTurn, errorOf, type SessionFacts, type TurnHost } from "./turn.ts";

export interface AgentaoHostOptions extends Omit<EngineOptions, "dialect" | "toolSpellings"> {
  /** How often hooks may prevent one turn from ending. Default: 3. */
  readonly maxForcedContinuations?: number;
  /** More tool names. Maps the embedder's name of a tool to the name that hooks see. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** Called after each dispatch that selected a rule. Errors that `onEvent` throws are ignored. */
  readonly onEvent?: (event: PluginHookFired) => void;
  /** Stores each dispatch that selected a rule, with the output of its hooks. Errors are ignored. */
  readonly replay?: (record: HookReplayRecord) => void;
  /** The text of `.agentao/settings.json`. hookbox reads only `replay.capture_flags`. */
  readonly settings?: string;
}

export interface Compaction {
  readonly type: CompactionType;
  readonly reason: string;
  /** The trigger of the compaction. Default: `auto`. */
  readonly trigger?: string;
  readonly customInstructions?: string;
}

const MAX_FORCED = 3;
const DEFAULT_ALIASES = {};

/** Runs the hooks of Agentao for an embedder's chat loop. Rejects only on misuse of the API, like `createEngine`. */
export async function createAgentaoHost(options: AgentaoHostOptions = {}): Promise<AgentaoHost> {
  const {
    maxForcedContinuations = MAX_FORCED,
    toolAliases,
    onEvent,
    replay,
    settings = "",
    ...engineOptions
  } = options;
  if (!(Number.isSafeInteger(maxForcedContinuations) && maxForcedContinuations >= 0)) {
    const message = `maxForcedContinuations must be a whole number of at least 0, not ${maxForcedContinuations}`;
    throw new HookError("HOOK_API_MISUSE", message);
  }
  const dispatcher = new EventDispatcher();
  const { onActivity } = options;
  const tools = agentaoToolsWith(toolAliases ?? DEFAULT_ALIASES);
  const engine = await createEngine({
    ...engineOptions,
    dialect: "agentao",
    toolSpellings: tools.spellings,
    onActivity: (activity) => {
      dispatcher.listener(activity);
      onActivity?.(activity);
    },
  });
  const observers = new Observers(onEvent, replay, captureFlagsIn(settings));
  return new AgentaoHost(engine, dispatcher, observers, tools, {
    maxForcedContinuations,
  });
}

export class AgentaoHost {
  readonly engine: Engine;
  readonly #dispatcher: EventDispatcher;
  readonly #observers: Observers;
  readonly #tools: ToolAliases;
  readonly #limits: Pick<TurnHost, "maxForcedContinuations">;

  /** Use {@link createAgentaoHost} instead of this constructor. */
  constructor(
    engine: Engine,
    dispatcher: EventDispatcher,
    observers: Observers,
    tools: ToolAliases,
    limits: Pick<TurnHost, "maxForcedContinuations">,
  ) {
    this.engine = engine;
    this.#dispatcher = dispatcher;
    this.#observers = observers;
    this.#tools = tools;
    this.#limits = limits;
  }

  /** Starts a turn of a session. `signal` cancels its hooks; a cancelled hook permits nothing. */
  turn(session: SessionFacts, { signal }: { readonly signal?: AbortSignal } = {}): AgentaoTurn {
    const options = signal === undefined ? {} : { signal };
    return new AgentaoTurn(
      {
        dispatch: (event, payload) => this.#dispatcher.dispatch(this.engine, event, payload, options),
        fired: (...fired) => this.#observers.fired(...fired),
        toolCall: (tool, input) => this.#toolCall(tool, input),
        ...this.#limits,
      },
      session,
    );
  }

  sessionStart({ sessionId, cwd }: SessionFacts): Promise<LifecycleResult> {
    return this.#lifecycle("SessionStart", { session_id: sessionId, cwd });
  }

  sessionEnd({ sessionId, cwd }: SessionFacts): Promise<LifecycleResult> {
    return this.#lifecycle("SessionEnd", { session_id: sessionId, cwd });
  }

  postToolUse(
    { sessionId, cwd }: SessionFacts,
    tool: string,
    input: JsonObject,
    output: string,
  ): Promise<LifecycleResult> {
    const call = this.#toolCall(tool, input);
    return this.#lifecycle("PostToolUse", { ...call, tool_response: output, session_id: sessionId, cwd });
  }

  postToolUseFailure(
    { sessionId, cwd }: SessionFacts,
    tool: string,
    input: JsonObject,
    error: string,
  ): Promise<LifecycleResult> {
    return this.#lifecycle("PostToolUseFailure", { ...this.#toolCall(tool, input), error, session_id: sessionId, cwd });
  }

  /** Dispatches the event. Call this before a compaction. No answer of a hook prevents the compaction. */
  preCompact(
    { sessionId, cwd, permissionMode = "workspace-write" }: SessionFacts,
    { type, reason, trigger = "auto", customInstructions = "" }: Compaction,
  ): Promise<LifecycleResult> {
    const payload = {
      session_id: sessionId,
      transcript_path: null,
      cwd,
      permission_mode: permissionMode,
      trigger,
      custom_instructions: customInstructions,
      compaction_type: type,
      reason,
    };
    return this.#lifecycle("PreCompact", payload, { compaction_type: type, trigger });
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #lifecycle(event: string, payload: JsonObject, fields: JsonObject = {}): Promise<LifecycleResult> {
    const dispatched: DispatchedEvent = await this.#dispatcher.dispatch(this.engine, event, payload, {});
    const error = event === "PreCompact" || dispatched.verdict.cancelled ? null : errorOf(dispatched);
    const outcome = error === null ? "allow" : "block";
    this.#observers.fired(event, outcome, dispatched, fields);
    return {
      outcome,
      blocking_error: error,
      additional_contexts: contextsOf(dispatched),
      messages: attachmentsOf(event, dispatched),
      matched_rule_count: dispatched.matchedRules,
    };
  }

  #toolCall(tool: string, input: JsonObject): JsonObject {
    return this.#tools.canonicalFields({ tool_name: tool, tool_input: input });
  }
}
