import type { EventRow } from "./contract.ts";
import { MESSAGE_EVENTS } from "./rows/messages.ts";
import { SESSION_EVENTS } from "./rows/sessions.ts";
import { TOOL_EVENTS } from "./rows/tools.ts";
import { TURN_EVENTS } from "./rows/turns.ts";
import { WORK_EVENTS } from "./rows/work.ts";

/**
 * One row per canonical event: those of Claude Code's hooks reference (2.1.295) and the types of its agent SDK
 * (0.3.329), and those that only other agents have.
 *
 * `onFailure` is `deny` wherever the gate guards an action that can be tried again. It is `continue` where blocking
 * means that the agent goes on (a trapping guard must not loop it for ever) and where a denial would strand the
 * session (a compaction that has to happen).
 */
export const EVENTS = {
  ...TOOL_EVENTS,
  ...TURN_EVENTS,
  ...SESSION_EVENTS,
  ...WORK_EVENTS,
  ...MESSAGE_EVENTS,
} as const satisfies Record<string, EventRow>;

export type EventName = keyof typeof EVENTS;
