import type { JsonObject } from "../../json.ts";
import { attachmentsOf, contextsOf, type DispatchedEvent } from "./dispatched-event.ts";
import {
  answerWithContexts,
  BLOCKED_MARKER,
  promptWithContexts,
  STOPPED_MARKER,
  STOPPED_REASON,
} from "./prompt-text.ts";
import type { PromptAnswer, StopHookResult, StopOutcome, ToolAnswer, TurnEnd, TurnEndReason } from "./results.ts";

/** The parts of a host that a turn uses. */
export interface TurnHost {
  dispatch(event: string, payload: JsonObject): Promise<DispatchedEvent>;
  fired(event: string, outcome: string, dispatched: DispatchedEvent, fields?: JsonObject): void;
  /** Returns the tool call with the names that hooks see. */
  toolCall(tool: string, input: JsonObject): JsonObject;
  readonly maxForcedContinuations: number;
}

export interface SessionFacts {
  readonly sessionId: string;
  readonly cwd: string;
  /** The permission mode. Default: `workspace-write`. */
  readonly permissionMode?: string;
}

export interface EndingTurn {
  readonly answer: string;
  readonly reason: TurnEndReason;
  /** Whether the turn reached its maximum of iterations. Default: `true` if `reason` is `max_iterations`. */
  readonly atMaxIterations?: boolean;
}

/** One turn of a chat loop, from the user's message to the answer. Hooks may force a turn to continue several times. */
export class AgentaoTurn {
  readonly #host: TurnHost;
  readonly #session: SessionFacts;
  #forced = 0;

  /** Use `host.turn` instead of this constructor. */
  constructor(host: TurnHost, session: SessionFacts) {
    this.#host = host;
    this.#session = session;
  }

  /** Dispatches the event. Call this before a user's message is added to the conversation. */
  async userPromptSubmit(message: string): Promise<PromptAnswer> {
    const { sessionId, cwd } = this.#session;
    const dispatched = await this.#host.dispatch("UserPromptSubmit", { prompt: message, session_id: sessionId, cwd });
    const { verdict } = dispatched;
    const contexts = contextsOf(dispatched);
    const error = errorOf(dispatched);
    const stops = error === null && !verdict.continue;
    const result = {
      blocking_error: error,
      prevent_continuation: stops,
      stop_reason: stops ? stopReasonOf(dispatched) : null,
      additional_contexts: contexts,
      messages: attachmentsOf("UserPromptSubmit", dispatched),
    };
    this.#host.fired("UserPromptSubmit", error === null && !stops ? "allow" : "block", dispatched, {
      blocking_error: error,
      stop_reason: result.stop_reason,
      added_context_count: contexts.length,
    });
    if (error !== null) return { result, enters: false, text: `${BLOCKED_MARKER} ${error}` };
    if (stops) return { result, enters: false, text: `${STOPPED_MARKER} ${result.stop_reason ?? STOPPED_REASON}` };
    return { result, enters: true, text: promptWithContexts(contexts, message) };
  }

  /** Dispatches the event. Call this before a tool runs, if the agent's own permissions did not refuse the call. */
  async preToolUse(tool: string, input: JsonObject, toolUseId = ""): Promise<ToolAnswer> {
    const { sessionId, cwd } = this.#session;
    const payload = { ...this.#host.toolCall(tool, input), session_id: sessionId, cwd };
    const dispatched = await this.#host.dispatch("PreToolUse", payload);
    const { verdict } = dispatched;
    const error = errorOf(dispatched) ?? (verdict.continue ? null : stopReasonOf(dispatched));
    const decision = error !== null ? "deny" : verdict.decision === "ask" ? "ask" : "none";
    const said = error ?? dispatched.hooks.find(({ reply }) => reply.decision === "ask")?.reply.reason ?? null;
    const contexts = contextsOf(dispatched);
    this.#host.fired("PreToolUse", decision === "deny" ? "block" : "allow", dispatched, {
      tool,
      permission_decision: decision === "none" ? "allow" : decision,
      added_context_count: contexts.length,
    });
    return {
      decision,
      reason: decision === "none" ? null : `pre-tool-hook${said === null || said === "" ? "" : `: ${said}`}`,
      additional_contexts: contexts,
      messages: attachmentsOf("PreToolUse", dispatched, toolUseId),
      matched_rule_count: dispatched.matchedRules,
    };
  }

  /** Dispatches the event. Call this when the turn would end. If the result has a `next`, call the model again. */
  async stop({ answer, reason, atMaxIterations = reason === "max_iterations" }: EndingTurn): Promise<TurnEnd> {
    const { sessionId, cwd, permissionMode = "workspace-write" } = this.#session;
    const dispatched = await this.#host.dispatch("Stop", {
      session_id: sessionId,
      transcript_path: null,
      cwd,
      permission_mode: permissionMode,
      stop_hook_active: this.#forced > 0,
      last_assistant_message: answer,
      turn_end_reason: reason,
      ...(atMaxIterations ? { at_max_iter: true } : {}),
    });
    const result = stopResult(dispatched);
    const outcome = this.#outcome(result, atMaxIterations);
    const goesOn = outcome === "continue" || outcome === "continue_at_max_iter";
    if (goesOn) this.#forced += 1;
    const { additional_contexts: contexts, suppress_output: isSuppressed } = result;
    this.#host.fired("Stop", outcome, dispatched, {
      turn_end_reason: reason,
      at_max_iter: atMaxIterations,
      added_context_count: contexts.length,
      suppress_output: isSuppressed,
    });
    const shows = outcome === "allow" && reason === "final_response" && !isSuppressed;
    return {
      outcome,
      result,
      answer: shows ? answerWithContexts(answer, contexts) : answer,
      next: goesOn ? (result.follow_up_message ?? "") : null,
    };
  }

  #outcome({ blocking_error: error, force_continue: forces }: StopHookResult, atMaxIterations: boolean): StopOutcome {
    if (error !== null) return "block";
    if (!forces) return "allow";
    if (this.#forced >= this.#host.maxForcedContinuations) return "reentry_capped";
    return atMaxIterations ? "continue_at_max_iter" : "continue";
  }
}

/** Returns the result of `Stop`. Messages of hooks to the user are also added to the answer. */
function stopResult(dispatched: DispatchedEvent): StopHookResult {
  const { verdict, hooks } = dispatched;
  const errors = hooks.map(({ reply }) => reply.specific?.["blockingError"]);
  const error = errors.find((one) => typeof one === "string");
  const forcing = hooks.find(({ reply }) => reply.decision === "block");
  const forces = error === undefined && verdict.continue && verdict.decision === "block";
  const messages = hooks.flatMap(({ reply }) => reply.systemMessage ?? []);
  const reasons = hooks.map(({ reply }) => reply.specific?.["stopReason"] ?? reply.stopReason);
  const stopReason = reasons.filter((one) => typeof one === "string").at(-1);
  return {
    blocking_error: typeof error === "string" ? error : null,
    force_continue: forces,
    follow_up_message: forces ? (forcing?.reply.followUp ?? forcing?.reply.reason ?? verdict.reason) : null,
    additional_contexts: hooks.flatMap(({ reply }) => [
      ...(reply.systemMessage === undefined ? [] : [reply.systemMessage]),
      ...(reply.additionalContext ?? []),
    ]),
    stop_reason: typeof stopReason === "string" ? stopReason : null,
    suppress_output: verdict.suppressOutput,
    system_message: messages.at(-1) ?? null,
    messages: attachmentsOf("Stop", dispatched),
    matched_rule_count: dispatched.matchedRules,
  };
}

/** Returns the text of the first refusal. A cancelled dispatch counts as a refusal. */
export function errorOf({ verdict, hooks }: DispatchedEvent): string | null {
  const refusing = hooks.find(({ report }) => {
    const counts = report.mode === "enforce";
    return counts && (report.decision === "deny" || report.decision === "block");
  });
  if (refusing !== undefined) return refusing.error ?? "refused by a hook";
  return verdict.cancelled ? "the hooks were cancelled before all of them answered" : null;
}

function stopReasonOf({ verdict, hooks }: DispatchedEvent): string {
  const stopping = hooks.find(({ reply }) => reply.continue === false);
  return stopping?.reply.stopReason ?? verdict.stopReason ?? STOPPED_REASON;
}
