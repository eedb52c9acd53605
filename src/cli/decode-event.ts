import type { Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { isEventName } from "../events/lookup.ts";

/** The event of a payload, or a `HookError` that says in which dialect it would be one. */
export function decodeEvent(
  dialect: Dialect,
  payload: JsonObject,
  named: string | undefined,
): { readonly name: string; readonly payload: JsonObject } {
  const decoded = dialect.decodeEvent(payload, named);
  if (decoded.ok && isEventName(decoded.name)) return decoded;
  const fitting = DIALECT_NAMES.find((name) => {
    const other = dialectNamed(name)?.decodeEvent(payload, named);
    return other?.ok === true && isEventName(other.name);
  });
  const hint = fitting === undefined ? {} : { hint: `it is an event of ${fitting}: --dialect ${fitting}` };
  if (!decoded.ok) throw new HookError("HOOK_PAYLOAD_INVALID", decoded.message, hint);
  // What is an event nowhere is refused by the engine, which lists those that are.
  if (fitting === undefined) return decoded;
  throw new HookError("HOOK_EVENT_UNKNOWN", `unknown event "${decoded.name}"`, hint);
}
