import type { EventName } from "../../events/table.ts";

/** Maps Agentao's event names to the canonical names. */
export const AGENTAO_EVENTS: Readonly<Record<string, EventName>> = {
  UserPromptSubmit: "UserPromptSubmit",
  SessionStart: "SessionStart",
  SessionEnd: "SessionEnd",
  PreToolUse: "PreToolUse",
  PostToolUse: "PostToolUse",
  PostToolUseFailure: "PostToolUseFailure",
  Stop: "Stop",
  PreCompact: "PreCompact",
};
