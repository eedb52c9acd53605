import type { DecidedEvent, Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import { isEventName } from "../events/lookup.ts";
import type { JsonObject } from "../json.ts";
import type { DialectChoice } from "./event-dialect.ts";

/**
 * Returns the event of a payload. Throws a `HookError` that names the dialect in which the payload would be an event.
 */
export function decodeEvent(dialect: Dialect, payload: JsonObject, named: string | undefined): DecidedEvent {
  const decoded = dialect.decodeEvent(payload, named);
  if (decoded.ok && isEventName(decoded.name)) return decoded;
  const fitting = fittingDialect(payload, named);
  const hint = fitting === undefined ? {} : { hint: `it is an event of ${fitting}: --dialect ${fitting}` };
  if (!decoded.ok)
    throw new HookError("HOOK_PAYLOAD_INVALID", decoded.message, {
      hint: `it was read as ${dialect.name}'s: set the agent with --dialect NAME and the event with --event NAME`,
      ...hint,
    });
  // The engine refuses an event that no dialect has, and lists the known events.
  if (fitting === undefined) return decoded;
  throw new HookError("HOOK_EVENT_UNKNOWN", `unknown event "${decoded.name}"`, hint);
}

/**
 * Finds the dialect and the event from the first members of a payload that was not read to its end. If the event is
 * unknown, the caller refuses as at a gate. Never throws.
 */
export async function eventOfMembers(
  { known, of }: DialectChoice,
  members: JsonObject,
  named: string | undefined,
): Promise<{ readonly dialect: Dialect | undefined; readonly event: DecidedEvent | undefined }> {
  let dialect = known;
  try {
    dialect ??= await of(members);
    return { dialect, event: decodeEvent(dialect, members, named) };
  } catch {
    return { dialect, event: undefined };
  }
}

/** Returns the dialect that fits best. Recognising the payload counts more than being able to decode it. */
function fittingDialect(payload: JsonObject, named: string | undefined): string | undefined {
  const makesSense = (name: string): boolean => {
    const other = dialectNamed(name)?.decodeEvent(payload, named);
    return other?.ok === true && isEventName(other.name);
  };
  const fitting = DIALECT_NAMES.filter(makesSense);
  const recognised = fitting.find((name) => dialectNamed(name)?.recognises(payload));
  // The dialect `hookbox` decodes everything that `claude-code` decodes. It comes last, because it names no agent.
  return recognised ?? fitting.find((name) => name !== "hookbox") ?? fitting[0];
}
