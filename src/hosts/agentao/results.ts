import type { JsonObject } from "../../json.ts";

/** Results for Agentao's chat loop, with the field names of Agentao's page. */

export type AttachmentType =
  | "hook_additional_context"
  | "hook_success"
  | "hook_stopped_continuation"
  | "hook_blocking_error";

/** A part of a hook's answer. */
export interface HookAttachmentRecord {
  readonly attachment_type: AttachmentType;
  readonly payload: JsonObject;
  /** The command line, or `prompt_hook`. */
  readonly hook_name: string;
  readonly hook_event: string;
  readonly tool_use_id: string;
  readonly uuid: string;
  /** The time in ISO 8601, in UTC. */
  readonly timestamp: string;
}

export interface UserPromptSubmitResult {
  readonly blocking_error: string | null;
  readonly prevent_continuation: boolean;
  readonly stop_reason: string | null;
  /** The contexts in the order in which the hooks ran. */
  readonly additional_contexts: readonly string[];
  readonly messages: readonly HookAttachmentRecord[];
}

export interface StopHookResult {
  readonly blocking_error: string | null;
  readonly force_continue: boolean;
  readonly follow_up_message: string | null;
  readonly additional_contexts: readonly string[];
  readonly stop_reason: string | null;
  readonly suppress_output: boolean;
  readonly system_message: string | null;
  readonly messages: readonly HookAttachmentRecord[];
  /** The number of rules that were selected, whether or not they ran. */
  readonly matched_rule_count: number;
}

export type StopOutcome = "allow" | "block" | "continue" | "continue_at_max_iter" | "reentry_capped";
export type TurnEndReason = "final_response" | "max_iterations" | "doom_loop" | "length_truncation";
export type CompactionType = "microcompact" | "full" | "minimal_history";

/** What happens with a user's message. */
export type PromptAnswer = {
  readonly result: UserPromptSubmitResult;
} & (
  | { readonly enters: true /** For the model: the contexts of the hooks, then the message. */; readonly text: string }
  | { readonly enters: false /** For the user, instead of an answer; begins with a marker. */; readonly text: string }
);

/** The hooks' answer about a tool call. Hooks can only restrict a call: the agent's own permissions still apply. */
export interface ToolAnswer {
  readonly decision: "none" | "ask" | "deny";
  /** The reason of the permission event: `pre-tool-hook`, with the hook's reason if any. `null`: no decision. */
  readonly reason: string | null;
  /** Contexts that are recorded, but not shown to the model. */
  readonly additional_contexts: readonly string[];
  readonly messages: readonly HookAttachmentRecord[];
  readonly matched_rule_count: number;
}

/** What happens at the end of a turn. */
export interface TurnEnd {
  readonly outcome: StopOutcome;
  readonly result: StopHookResult;
  /** The answer, with the texts that hooks add. */
  readonly answer: string;
  /** The next user message for the model; the turn continues. `null`: the turn ends. */
  readonly next: string | null;
}

export interface LifecycleResult {
  readonly outcome: "allow" | "block";
  readonly blocking_error: string | null;
  readonly additional_contexts: readonly string[];
  readonly messages: readonly HookAttachmentRecord[];
  readonly matched_rule_count: number;
}
