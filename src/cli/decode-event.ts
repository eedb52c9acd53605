import type { DecidedEvent, Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { isEventName } from "../events/lookup.ts";

/** The event of a payload, or a `HookError` that says in which dialect it would be one. */
export function decodeEvent(dialect: Dialect, payload: JsonObject, named: string | undefined): DecidedEvent {
  const decoded = dialect.decodeEvent(payload, named);
  if (decoded.ok && isEventName(decoded.name)) return decoded;
  const fitting = fittingDialect(payload, named);
  const hint = fitting === undefined ? {} : { hint: `it is an event of ${fitting}: --dialect ${fitting}` };
  if (!decoded.ok)
    throw new HookError("HOOK_PAYLOAD_INVALID", decoded.message, {
      hint: `it was read as ${dialect.name}'s: --dialect NAME says whose it is, --event NAME which event`,
      ...hint,
    });
  // What is an event nowhere is refused by the engine, which lists those that are.
  if (fitting === undefined) return decoded;
  throw new HookError("HOOK_EVENT_UNKNOWN", `unknown event "${decoded.name}"`, hint);
}

/** Whoever knows the payload for its own comes before those that could only make an event of it. */
function fittingDialect(payload: JsonObject, named: string | undefined): string | undefined {
  const makesSense = (name: string): boolean => {
    const other = dialectNamed(name)?.decodeEvent(payload, named);
    return other?.ok === true && isEventName(other.name);
  };
  const fitting = DIALECT_NAMES.filter(makesSense);
  return fitting.find((name) => dialectNamed(name)?.recognises(payload)) ?? fitting[0];
}
