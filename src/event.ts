import type { JsonObject } from "./json.ts";

/** An event: one moment in an agent's work, with canonical names. */

export interface HookEvent {
  /** The canonical name, such as `PreToolUse`. */
  readonly name: string;
  /** The dialect of the agent that sent the event. The dialect selects overrides in the contract table. */
  readonly dialect: string;
  /** Set if only the preempt lane is asked. Some fields of the event's row differ for this lane. */
  readonly lane?: "preempt";
  /** Further names of the event's tool. Matchers may use these names too. */
  readonly toolNames?: readonly string[];
  /** The payload with canonical snake_case keys. Contains `hook_event_name`. */
  readonly payload: JsonObject;
}
