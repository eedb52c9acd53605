import type { DecidedEvent, Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { isEventName } from "../events/lookup.ts";
import type { DialectChoice } from "./event-dialect.ts";

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

/**
 * Whose event it is, and which, as far as the first members of a payload tell that was not read further. Never throws:
 * without an event, the refusal is the one for a gate.
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

/** Whoever knows the payload for its own comes before those that could only make an event of it. */
function fittingDialect(payload: JsonObject, named: string | undefined): string | undefined {
  const makesSense = (name: string): boolean => {
    const other = dialectNamed(name)?.decodeEvent(payload, named);
    return other?.ok === true && isEventName(other.name);
  };
  const fitting = DIALECT_NAMES.filter(makesSense);
  const recognised = fitting.find((name) => dialectNamed(name)?.recognises(payload));
  // Our own dialect reads all that Claude Code's does, and is no agent's name.
  return recognised ?? fitting.find((name) => name !== "hookbox") ?? fitting[0];
}
