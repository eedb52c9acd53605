import { stringify } from "yaml";
import type { ModelFunction } from "../../src/models/model.ts";
import type { Expectation, JsonObject, Kit } from "./case.ts";
import { prints } from "./claude-hooks.ts";

/** Short forms of docker-agent's configurations, and the output of its hooks. */

/** The agent's names of its 28 events, each with the one under which it is dispatched. */
export const EVENTS: Readonly<Record<string, string>> = {
  pre_tool_use: "PreToolUse",
  tool_input_transform: "ToolInputTransform",
  tool_guard: "ToolGuard",
  permission_request: "PermissionRequest",
  tool_response_transform: "ToolResponseTransform",
  post_tool_use: "PostToolUse",
  session_start: "SessionStart",
  user_prompt_submit: "UserPromptSubmit",
  user_steering_messages_submit: "UserSteeringMessagesSubmit",
  user_followup_submit: "UserFollowupSubmit",
  turn_start: "TurnStart",
  turn_end: "TurnEnd",
  before_llm_call: "BeforeModelCall",
  after_llm_call: "AfterModelCall",
  session_end: "SessionEnd",
  pre_compact: "PreCompact",
  before_compaction: "BeforeCompaction",
  after_compaction: "AfterCompaction",
  subagent_stop: "SubagentStop",
  on_user_input: "UserInput",
  stop: "Stop",
  notification: "Notification",
  on_error: "AgentError",
  on_max_iterations: "MaxIterations",
  on_agent_switch: "AgentSwitch",
  on_session_resume: "SessionResume",
  on_tool_approval_decision: "ToolApprovalDecision",
  worktree_create: "WorktreeCreate",
};

export const AGENT_EVENTS = Object.keys(EVENTS);

/** Returns the name for `dispatch`. */
export function canonical(event: string): string {
  const name = EVENTS[event];
  if (name === undefined) throw new Error(`docker-agent has no event ${event}`);
  return name;
}

/** These have groups with matchers; the others a plain list. */
const GROUPED: readonly string[] = [
  "pre_tool_use",
  "post_tool_use",
  "permission_request",
  "tool_input_transform",
  "tool_guard",
  "tool_response_transform",
];

/**
 * Returns a file with these hooks at one event, and no others: an agent's whole file has the agent's own hooks as well.
 */
export function on(event: string, ...hooks: readonly JsonObject[]): string {
  return GROUPED.includes(event) ? grouped(event, { hooks }) : file({ [event]: hooks });
}

export function grouped(event: string, ...groups: readonly JsonObject[]): string {
  return file({ [event]: groups });
}

function file(hooks: JsonObject): string {
  return stringify({ hooks });
}

export function hook(kit: Kit, name: string, text: string, more: JsonObject = {}): JsonObject {
  return { name, type: "command", command: kit.script(name, text), ...more };
}

/** Returns a hook that asks a model for a decision. */
export function judge(kit: Kit, name: string, answer: string | ModelFunction, more: JsonObject = {}): JsonObject {
  const schema = "pre_tool_use_decision";
  return { name, type: "model", model: kit.model(name, answer), schema, prompt: "{{ .ToolInput | toJSON }}", ...more };
}

export function specific(fields: JsonObject): JsonObject {
  return { hook_specific_output: fields };
}

/** Returns shell text that prints a permission. */
export function permits(word: string, reason?: string, more: JsonObject = {}): string {
  const because = reason === undefined ? {} : { permission_decision_reason: reason };
  return prints(specific({ permission_decision: word, ...because, ...more }));
}

/** Returns shell text that sets `$text` to a text field of the payload, without another process. */
export function reads(field: string): string {
  return `IFS= read -r input; text=\${input#*'"${field}":"'}; text=\${text%%'"'*}`;
}

/** Returns shell text that prints this JSON with `$text` in place of every `@`. */
export function printsText(output: JsonObject): string {
  const quoted = JSON.stringify(output).replaceAll("'", "'\\''").replaceAll("@", `'"$text"'`);
  return `printf '%s' '${quoted}'`;
}

/** The agent goes on with its action. */
export const GOES_ON = { decision: "none", continue: true } as const;

/** A refusal at `pre_tool_use`, and what the agent receives. */
export const refused = (reason: RegExp): Expectation => ({
  verdict: { decision: "deny", continue: true, reason },
  reply: {
    exitCode: 0,
    stdout: {
      hook_specific_output: {
        hook_event_name: "pre_tool_use",
        permission_decision: "deny",
        permission_decision_reason: reason,
      },
    },
  },
});
/** As if there were no hook. */
export const NOTHING: Expectation = {
  verdict: { ...GOES_ON, reason: null, additionalContext: null, systemMessage: null },
  reply: { exitCode: 0, stdout: "" },
};
