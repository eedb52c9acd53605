import type { JsonObject } from "../../event.ts";

/** What Agentao's chat loop is told, in the names of its page. */

export type AttachmentType =
  | "hook_additional_context"
  | "hook_success"
  | "hook_stopped_continuation"
  | "hook_blocking_error";

/** One thing that a hook put out. */
export interface HookAttachmentRecord {
  readonly attachment_type: AttachmentType;
  readonly payload: JsonObject;
  /** The command, or `prompt_hook`. */
  readonly hook_name: string;
  readonly hook_event: string;
  readonly tool_use_id: string;
  readonly uuid: string;
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
}

export interface UserPromptSubmitResult {
  readonly blocking_error: string | null;
  readonly prevent_continuation: boolean;
  readonly stop_reason: string | null;
  /** In the order in which the hooks ran. */
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
  /** Rules that were selected, whatever became of them. */
  readonly matched_rule_count: number;
}

export type StopOutcome = "allow" | "block" | "continue" | "continue_at_max_iter" | "reentry_capped";
export type TurnEndReason = "final_response" | "max_iterations" | "doom_loop" | "length_truncation";
export type CompactionType = "microcompact" | "full" | "minimal_history";

/** What becomes of a user's message. */
export type PromptAnswer = {
  readonly result: UserPromptSubmitResult;
} & (
  | { readonly enters: true /** For the model: the message, behind what hooks have added. */; readonly text: string }
  | { readonly enters: false /** For the user, in place of an answer; begins with a marker. */; readonly text: string }
);

/** What the hooks say of a tool call, besides the agent's own permissions: nothing here loosens those. */
export interface ToolAnswer {
  readonly decision: "none" | "ask" | "deny";
  /** For the permission event: `pre-tool-hook`, or that with the hook's reason. `null` without a decision. */
  readonly reason: string | null;
  /** Recorded, and not for the model. */
  readonly additional_contexts: readonly string[];
  readonly messages: readonly HookAttachmentRecord[];
  readonly matched_rule_count: number;
}

/** What becomes of a turn that is about to end. */
export interface TurnEnd {
  readonly outcome: StopOutcome;
  readonly result: StopHookResult;
  /** The answer, with what hooks add to it. */
  readonly answer: string;
  /** For the model, as the next message of the user's: the turn goes on. `null`: it ends. */
  readonly next: string | null;
}

export interface LifecycleResult {
  readonly outcome: "allow" | "block";
  readonly blocking_error: string | null;
  readonly additional_contexts: readonly string[];
  readonly messages: readonly HookAttachmentRecord[];
  readonly matched_rule_count: number;
}
