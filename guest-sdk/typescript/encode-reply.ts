import type { EventName } from "./events.ts";
import { nameValue } from "./name-value.ts";
import type { Extras, Reply, ReplyKind } from "./replies.ts";
import { REPLIES, replyRow } from "./reply-table.ts";

type Json = Record<string, unknown>;

/** The hook output of an event. The host reads it strictly, so it must contain only fields that the event has. */
interface Output extends Json {
  hookSpecificOutput?: Json;
}

/**
 * Converts a reply to the hook output of the event.
 *
 * @throws Error that names the event, and the field or the reply that the event does not have
 */
export function encodeReply(event: EventName, reply: Reply): Output {
  const output: Output = {};
  const { kind, value, extras } = reply;
  if (kind !== "abstain") encodeKind(event, kind, value, output);
  if (extras !== undefined) encodeExtras(event, extras, output);
  return output;
}

function encodeKind(event: EventName, kind: ReplyKind, value: unknown, output: Output): void {
  const row = replyRow(event);
  switch (kind) {
    case "deny":
      if (row.no === undefined) throw misplaced("deny", event, ({ no }) => no !== undefined);
      if (row.no === "deny") decide(event, "deny", value, output);
      else {
        output["decision"] = "block";
        output["reason"] = value;
      }
      return;
    case "ask":
    case "allow":
      if (row.permits === undefined) throw misplaced(kind, event, ({ permits }) => permits === true);
      decide(event, kind, value, output);
      return;
    case "rewrite":
      if (row.rewrites === undefined) throw misplaced("rewrite", event, ({ rewrites }) => rewrites !== undefined);
      replace(event, row.rewrites, value, output);
      return;
    case "context":
      encodeField(event, "context", value, output);
      return;
  }
}

/**
 * Writes a decision. `PermissionRequest` has its own form for allow and deny. `ask` has the same form at all events.
 */
function decide(event: EventName, word: "allow" | "deny" | "ask", reason: unknown, output: Output): void {
  const specific = specificOf(event, output);
  if (event === "PermissionRequest" && word !== "ask") {
    specific["decision"] = reason === undefined ? { behavior: word } : { behavior: word, message: reason };
    return;
  }
  specific["permissionDecision"] = word;
  if (reason !== undefined) specific["permissionDecisionReason"] = reason;
}

type Replaced = NonNullable<ReturnType<typeof replyRow>["rewrites"]>;

const REPLACEMENTS: Readonly<Record<string, Replaced>> = {
  updatedInput: "input",
  updatedOutput: "output",
  updatedMessages: "messages",
};

function replace(event: EventName, what: Replaced, value: unknown, output: Output): void {
  if (what === "messages") {
    // An empty list is refused, because the host reads it as no replacement.
    if (!Array.isArray(value) || value.length === 0)
      throw new TypeError(`the replacement of messages must be a list of messages, got ${nameValue(value)}`);
    specificOf(event, output)["updatedMessages"] = value;
    return;
  }
  if (what === "output") {
    // `null` is refused, because in JSON it means no replacement, so the original result would be used.
    if (value === null) throw new TypeError("the replacement of a tool's result must not be null");
    specificOf(event, output)["updatedToolOutput"] = value;
    return;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`the replacement of tool_input must be an object, got ${nameValue(value)}`);
  }
  detailsOf(event, output)["updatedInput"] = value;
}

function encodeExtras(event: EventName, extras: Extras, output: Output): void {
  for (const field of Object.keys(extras)) {
    const value = extras[field as keyof Extras];
    if (value !== undefined) encodeField(event, field, value, output);
  }
}

function encodeField(event: EventName, field: string, value: unknown, output: Output): void {
  const row = replyRow(event);
  switch (field) {
    case "systemMessage":
      output["systemMessage"] = expect(field, "string", value);
      return;
    case "suppressOutput":
      output["suppressOutput"] = expect(field, "boolean", value);
      return;
    case "stop":
      if (row.stop === undefined) throw misplaced("stop", event, ({ stop }) => stop === true);
      output["continue"] = false;
      output["stopReason"] = expect(field, "string", value);
      return;
    case "context":
      if (row.context === undefined) throw misplaced("context", event, ({ context }) => context === true);
      specificOf(event, output)["additionalContext"] = expect(field, "string", value);
      return;
    case "updatedInput":
    case "updatedOutput":
    case "updatedMessages": {
      const what = REPLACEMENTS[field] as Replaced;
      if (row.rewrites !== what) throw misplaced(field, event, ({ rewrites }) => rewrites === what);
      replace(event, what, value, output);
      return;
    }
    default:
      if (row.fields?.includes(field) !== true) throw misplaced(field, event, (row) => row.fields?.includes(field));
      detailsOf(event, output)[field] = value;
  }
}

/** Returns the details. Details of an allow or deny of `PermissionRequest` are inside of its `decision`. */
function detailsOf(event: EventName, output: Output): Json {
  const specific = specificOf(event, output);
  return event === "PermissionRequest" ? ((specific["decision"] as Json | undefined) ?? specific) : specific;
}

function specificOf(event: EventName, output: Output): Json {
  output.hookSpecificOutput ??= { hookEventName: event };
  return output.hookSpecificOutput;
}

function expect(field: string, type: "string" | "boolean", value: unknown): unknown {
  if (typeof value === type) return value;
  throw new TypeError(`${field} must be a ${type}, got ${nameValue(value)}`);
}

function misplaced(
  what: string,
  event: EventName,
  has: (row: ReturnType<typeof replyRow>) => boolean | undefined,
): Error {
  const events = (Object.keys(REPLIES) as EventName[]).filter((name) => has(replyRow(name)));
  return new TypeError(
    events.length === 0
      ? `no event has the reply field ${JSON.stringify(what)}`
      : `${what} has no effect at ${event}; it is for ${events.join(", ")}`,
  );
}
