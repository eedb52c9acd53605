import type { EventRow } from "./contract.ts";
import { MESSAGE_EVENTS } from "./rows/messages.ts";
import { SESSION_EVENTS } from "./rows/sessions.ts";
import { TOOL_EVENTS } from "./rows/tools.ts";
import { TURN_EVENTS } from "./rows/turns.ts";
import { WORK_EVENTS } from "./rows/work.ts";

/**
 * One row per canonical event: the events of Claude Code's hooks reference (2.1.295) and of its agent SDK (0.3.329),
 * and events that only other agents have.
 *
 * `onFailure` is `deny` if the gate guards an action that can be tried again. `onFailure` is `continue` in two cases:
 * if blocking makes the agent go on, because a failing guard would loop the agent; and if a denial would end the
 * session, as a refused compaction does.
 */
export const EVENTS = {
  ...TOOL_EVENTS,
  ...TURN_EVENTS,
  ...SESSION_EVENTS,
  ...WORK_EVENTS,
  ...MESSAGE_EVENTS,
} as const satisfies Record<string, EventRow>;

export type EventName = keyof typeof EVENTS;
