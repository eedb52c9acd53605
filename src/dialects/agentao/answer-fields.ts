import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { cleanLine } from "../../text.ts";

/**
 * What a hook of Agentao may answer at any event: the camelCase fields of Agentao's code, the snake_case fields of its
 * documentation, attachments, and the fields that it shares with Claude Code.
 */
export interface AnswerFields {
  readonly blockingError?: string;
  /** Whether the hook prevents continuation. At the end of a turn, the hook prevents the end. */
  readonly prevents: boolean;
  readonly stopReason?: string;
  readonly contexts: readonly string[];
  readonly systemMessage?: string;
  readonly suppressOutput: boolean;
  /** All permission decisions in the output. The strongest decision counts. */
  readonly permissions: readonly JsonValue[];
  readonly decisions: readonly JsonValue[];
  readonly reason?: string;
  /** Whether the output has `continue: false`, which no other field overrides. */
  readonly ends: boolean;
  readonly forcesContinue: boolean;
  readonly followUp?: string;
  /** A part that cannot be read and may be a refusal. */
  readonly unreadable?: string;
}

type Draft = {
  -readonly [Key in keyof Omit<AnswerFields, "contexts" | "permissions" | "decisions">]: AnswerFields[Key];
} & {
  readonly contexts: string[];
  readonly permissions: JsonValue[];
  readonly decisions: JsonValue[];
};

/** How to read `blockingError: null`: as no error (documentation of Agentao), or as an error (code of Agentao). */
interface AnswerOptions {
  readonly nullIsNoError: boolean;
}

export function readAnswerFields(values: readonly JsonObject[], options: AnswerOptions): AnswerFields {
  const said: Draft = {
    prevents: false,
    contexts: [],
    suppressOutput: false,
    permissions: [],
    decisions: [],
    ends: false,
    forcesContinue: false,
  };
  for (const value of values) readOne(value, said, said.contexts, options);
  return said;
}

/** Returns the objects of an output. A list without attachments is text. */
export function attachmentsIn(value: JsonValue): readonly JsonObject[] | undefined {
  if (isJsonObject(value)) return [value];
  if (!Array.isArray(value)) return undefined;
  const objects = value.filter(isJsonObject);
  return objects.some((one) => attachmentType(one) !== undefined || unknownTypeOf(one) !== undefined)
    ? objects
    : undefined;
}

/** The default reason of a refusal. */
const BLOCKED = "blocked by a hook";

const ATTACHMENTS: readonly unknown[] = [
  "hook_additional_context",
  "hook_success",
  "hook_stopped_continuation",
  "hook_blocking_error",
];

function attachmentType(value: JsonObject): string | undefined {
  const named = [value["attachment_type"], value["attachmentType"], value["type"]].find((one) =>
    ATTACHMENTS.includes(one),
  );
  return typeof named === "string" ? named : undefined;
}

/**
 * Returns an attachment type that is not one of the four known types. An unknown type is an error, because a misspelt
 * refusal must not count as success.
 */
function unknownTypeOf(value: JsonObject): JsonValue | undefined {
  return each(value, "attachment_type", "attachmentType").find((one) => !ATTACHMENTS.includes(one));
}

function readOne(value: JsonObject, said: Draft, contexts: string[], options: AnswerOptions): void {
  const unknown = unknownTypeOf(value);
  if (unknown !== undefined) said.unreadable ??= `${cleanLine(inWords(unknown), 80)} is not an attachment type`;
  const type = attachmentType(value);
  if (type === undefined) {
    readFields(value, said, contexts, options);
    return;
  }
  // The text of an attachment is in the attachment or in its payload.
  const { payload } = value;
  const text = textOf(isJsonObject(payload) ? { ...value, ...payload } : { ...value, ...present("message", payload) });
  if (type === "hook_blocking_error") block(said, text ?? BLOCKED);
  else if (type === "hook_additional_context" && text !== undefined) contexts.push(text);
  else if (type === "hook_stopped_continuation") {
    said.prevents = true;
    if (text !== undefined) said.stopReason ??= text;
  }
  // In addition to its type, an attachment may have any of the fields.
  readFields(value, said, type === "hook_additional_context" ? [] : contexts, options);
  if (isJsonObject(payload)) readFields(payload, said, type === "hook_additional_context" ? [] : contexts, options);
}

/** Fields that may contain an attachment's text. */
const WORDS = [
  "message",
  "text",
  "content",
  "error",
  "reason",
  "blockingError",
  "blocking_error",
  "stopReason",
  "stop_reason",
  "context",
  "additionalContext",
  "additional_context",
];

function textOf(value: JsonObject): string | undefined {
  const found = WORDS.map((key) => value[key]).find((one) => typeof one === "string" && one !== "");
  return typeof found === "string" ? found : undefined;
}

function readFields(value: JsonObject, said: Draft, contexts: string[], { nullIsNoError }: AnswerOptions): void {
  const { hookSpecificOutput } = value;
  const specific = isJsonObject(hookSpecificOutput) ? hookSpecificOutput : {};
  if (hookSpecificOutput !== undefined && hookSpecificOutput !== null && !isJsonObject(hookSpecificOutput))
    said.unreadable ??= "hookSpecificOutput must be an object";
  for (const error of each(value, "blockingError", "blocking_error", "hook_blocking_error"))
    if (!(error === null && nullIsNoError)) block(said, error === "" ? BLOCKED : inWords(error));
  if (each(value, "preventContinuation", "prevent_continuation", "hook_stopped_continuation").some(isTrue))
    said.prevents = true;
  setText(said, "stopReason", either(value, "stopReason", "stop_reason"));
  setText(said, "systemMessage", either(value, "systemMessage", "system_message"));
  setText(said, "followUp", either(value, "followUpMessage", "follow_up_message"));
  if (isTrue(either(value, "suppressOutput", "suppress_output"))) said.suppressOutput = true;
  if (isTrue(either(value, "forceContinue", "force_continue"))) said.forcesContinue = true;
  for (const from of [specific, value]) {
    const context = either(
      from,
      "additionalContext",
      "additional_context",
      "additionalContexts",
      "additional_contexts",
      "hook_additional_context",
    );
    contexts.push(...([context].flat().filter((text) => typeof text === "string" && text !== "") as string[]));
  }
  if (value["continue"] === false) said.ends = true;
  said.decisions.push(...each(value, "decision").filter((one) => one !== null));
  for (const from of [specific, value])
    said.permissions.push(...each(from, "permissionDecision", "permission_decision").filter((one) => one !== null));
  const reasons = [
    either(specific, "permissionDecisionReason", "permission_decision_reason"),
    specific["reason"],
    value["reason"],
  ];
  setText(
    said,
    "reason",
    reasons.find((one) => typeof one === "string"),
  );
}

/** Records an error. Only the first error is reported. */
function block(said: Draft, error: string): void {
  said.blockingError ??= error;
}

function setText(said: Draft, key: "stopReason" | "systemMessage" | "followUp" | "reason", value?: JsonValue): void {
  if (typeof value === "string" && value !== "") said[key] = value;
}

function either(value: JsonObject, ...keys: readonly string[]): JsonValue | undefined {
  const key = keys.find((one) => Object.hasOwn(value, one));
  return key === undefined ? undefined : value[key];
}

/** Returns the values of a field in all its spellings. */
function each(value: JsonObject, ...keys: readonly string[]): readonly JsonValue[] {
  return keys.filter((one) => Object.hasOwn(value, one)).map((one) => value[one] as JsonValue);
}

function present(key: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}

/** Whether a value is true in Python, Agentao's language. Empty values and zero are false. */
function isTrue(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Returns a text unchanged and any other value as JSON, unless the value is nested too deeply. */
export function inWords(value: JsonValue): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return "a value that cannot be shown";
  }
}
