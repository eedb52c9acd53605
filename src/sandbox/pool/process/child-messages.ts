import { ERROR_CODES, type ErrorCode } from "../../../errors.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import type { Failure, FailureKind } from "../../../outcome.ts";
import { readStrictJson } from "../../../strict-json.ts";
import type { HttpAsk } from "../../guest/capabilities/capability.ts";
import type { Effects, GuestAnswer, GuestUsage } from "../../guest/protocol.ts";
import type { BrokenLimit } from "../self-test.ts";
import { type Frame, ProtocolBreach } from "./frames.ts";

/**
 * Reads messages of a sandbox process, which may be under an attacker's control. A message of the wrong shape, or with
 * a value that no call can have, is a breach of the protocol. The effects of valid values are checked at their use.
 */

export type FromProcess =
  | { readonly kind: "ready" }
  | { readonly kind: "spinning" }
  | { readonly kind: "broken"; readonly broken: BrokenLimit }
  | { readonly kind: "ask"; readonly id: number; readonly ask: HttpAsk }
  | { readonly kind: "answer"; readonly id: number; readonly answer: GuestAnswer };

/** Failure kinds that a sandbox process may report. Only the engine decides that a call was cancelled or timed out. */
const IS_OF_GUESTS: Readonly<Record<FailureKind, boolean>> = {
  fuel: true,
  stack: true,
  memory: true,
  trap: true,
  exit: true,
  signal: true,
  "output-too-large": true,
  "invalid-output": true,
  "no-output": true,
  capability: true,
  unavailable: true,
  timeout: false,
  spawn: false,
  integrity: false,
  turns: false,
  cancelled: false,
};

const MAX_TEXT = 65_536;
const MAX_LOG_LINES = 256;
const MAX_HEADERS = 256;

/** Throws {@link ProtocolBreach}. */
export function readFromProcess({ message, parts }: Frame): FromProcess {
  if (!isJsonObject(message)) return breach("a message that is not an object");
  switch (message["kind"]) {
    case "ready":
    case "spinning":
      return { kind: message["kind"] };
    case "broken":
      return { kind: "broken", broken: { limit: text(message, "limit"), message: text(message, "message") } };
    case "ask":
      return { kind: "ask", id: count(message, "id"), ask: askOf(message["ask"], parts) };
    case "answered":
      return { kind: "answer", id: count(message, "id"), answer: answeredOf(message, parts) };
    case "failed":
      return {
        kind: "answer",
        id: count(message, "id"),
        answer: { kind: "failed", failure: failureOf(message["failure"]), usage: usageOf(message["usage"]) },
      };
    default:
      return breach("a message of an unknown kind");
  }
}

function answeredOf(message: JsonObject, [output, ...values]: Frame["parts"]): GuestAnswer {
  if (output === undefined) return breach("an answer without its text");
  const json = readStrictJson(output);
  if (!json.ok) return breach(`an answer whose ${json.message}`);
  const rest = [...values];
  const state = stateOf(message["state"], rest);
  const files = filesOf(message["files"], rest);
  if (rest.length > 0) return breach("bytes that its answer does not refer to");
  const effects: Effects = { ...(state === undefined ? {} : { state }), ...(files === undefined ? {} : { files }) };
  return {
    kind: "answered",
    text: json.text,
    usage: usageOf(message["usage"]),
    ...(state === undefined && files === undefined ? {} : { effects }),
  };
}

function stateOf(list: unknown, values: Uint8Array[]): Effects["state"] {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) return breach("state changes that are not a list");
  return list.map((entry: unknown) => {
    if (!Array.isArray(entry) || entry.length !== 2) return breach("a state change that is not a pair");
    const [key, isSet]: readonly unknown[] = entry;
    if (typeof key !== "string" || typeof isSet !== "boolean") return breach("a state change of invalid types");
    return [key, isSet ? next(values) : null] as const;
  });
}

function filesOf(list: unknown, values: Uint8Array[]): Effects["files"] {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) return breach("files that are not a list");
  return list.map((path: unknown) =>
    typeof path === "string" ? { path, bytes: next(values) } : breach("a file without a name"),
  );
}

const next = (values: Uint8Array[]): Uint8Array => values.shift() ?? breach("a value without its bytes");

function askOf(ask: unknown, parts: Frame["parts"]): HttpAsk {
  if (!isJsonObject(ask) || !isJsonObject(ask["headers"]))
    return breach("a request that is not an object with headers");
  const headers = Object.entries(ask["headers"]);
  if (headers.length > MAX_HEADERS || parts.length > 1) return breach("a request with too many headers or parts");
  return {
    method: text(ask, "method"),
    url: text(ask, "url"),
    // The object has no prototype, because a header named `__proto__` would otherwise set it.
    headers: Object.assign(
      Object.create(null) as Record<string, string>,
      Object.fromEntries(headers.map(([name]) => [name, text(ask["headers"] as JsonObject, name)])),
    ),
    body: parts[0],
  };
}

function failureOf(failure: unknown): Failure {
  if (!isJsonObject(failure)) return breach("a failure that is not an object");
  const { kind, code, limit, value } = failure;
  if (!isOfGuests(kind)) return breach("a failure of a kind that a process may not report");
  if (code !== undefined && !(typeof code === "string" && Object.hasOwn(ERROR_CODES, code)))
    return breach("an unknown error code");
  return {
    kind,
    ...(code === undefined ? {} : { code: code as ErrorCode }),
    message: text(failure, "message"),
    ...(limit === undefined ? {} : { limit: count(failure, "limit") }),
    ...(value === undefined ? {} : { value: finite(failure, "value") }),
  };
}

function isOfGuests(kind: unknown): kind is FailureKind {
  return typeof kind === "string" && Object.hasOwn(IS_OF_GUESTS, kind) && IS_OF_GUESTS[kind as FailureKind];
}

function usageOf(usage: unknown): GuestUsage {
  if (!isJsonObject(usage)) return breach("an answer without its usage");
  const { log } = usage;
  const isLog = log === undefined || (Array.isArray(log) && log.length <= MAX_LOG_LINES);
  if (!isLog || log?.some((line) => typeof line !== "string" || line.length > MAX_TEXT))
    return breach("a log that is not a list of lines");
  return {
    outputBytes: count(usage, "outputBytes"),
    memoryBytes: count(usage, "memoryBytes"),
    fuel: count(usage, "fuel"),
    doneAtMs: finite(usage, "doneAtMs"),
    ...(log === undefined ? {} : { log: log as readonly string[] }),
  };
}

function text(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "string" && value.length <= MAX_TEXT ? value : breach(`no valid text "${key.slice(0, 40)}"`);
}

function count(object: JsonObject, key: string): number {
  const value = object[key];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : breach(`no number "${key}"`);
}

/** Reads a number that may be negative, such as a guest's return code. */
function finite(object: JsonObject, key: string): number {
  const value = object[key];
  return typeof value === "number" && Number.isFinite(value) ? value : breach(`no number "${key}"`);
}

function breach(what: string): never {
  throw new ProtocolBreach(`sent ${what}`);
}
