import type { JsonValue } from "../../../json.ts";
import type { Failure } from "../../../outcome.ts";
import { readStrictJson } from "../../../strict-json.ts";
import { cleanLine } from "../../../text.ts";
import type { HttpAsk } from "./capability.ts";

/** Reads HTTP requests of guests in the format of Extism's plug-in kits: `{"url", "method"?, "headers"?}`. */

const MAX_BODY_BYTES = 262_144;
const MAX_HEADERS = 64;
const MAX_HEADER_BYTES = 16_384;
const MAX_URL_LENGTH = 4_096;

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const KEYS: readonly string[] = ["url", "method", "headers"];

/** Headers about the connection, or about the body's length and encoding. Only the engine sets these headers. */
const OURS: readonly string[] = [
  "host",
  "connection",
  "content-length",
  "accept-encoding",
  "expect",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Matches a token as defined in RFC 9110. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
/** Matches allowed values of headers: one line of Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

type ReadAsk = { readonly ok: true; readonly ask: HttpAsk } | { readonly ok: false; readonly failure: Failure };

/** Reads a request. `body` must be a private copy. */
export function readHttpAsk(json: Uint8Array, body: Uint8Array | undefined): ReadAsk {
  const read = readStrictJson(json, "the request");
  if (!read.ok) return { ok: false, failure: malformed(read.message) };
  const { url, method, headers } = read.value;
  const unknown = Object.keys(read.value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return { ok: false, failure: malformed(`${quoted(unknown)} is not a key of the request`) };
  if (typeof url !== "string") return { ok: false, failure: malformed("the request has no url") };
  if (!isAbsent(method) && typeof method !== "string")
    return { ok: false, failure: malformed("the request's method is not a string") };
  const fields = isAbsent(headers) ? [] : fieldsOf(headers);
  if (fields === undefined)
    return { ok: false, failure: malformed("the request's headers are not an object of strings") };
  // Names are checked before conversion to lower case, which turns the Kelvin sign into "k".
  const odd = fields.find(([name]) => !NAME.test(name));
  if (odd !== undefined) return { ok: false, failure: refused(`${quoted(odd[0])} is not a valid header name`) };
  const lower = fields.map(([name, value]) => [name.toLowerCase(), value.trim()] as const);
  const twice = lower.find(([name], at) => lower.findIndex(([other]) => other === name) < at);
  if (twice !== undefined) return { ok: false, failure: refused(`header ${quoted(twice[0])} is set twice`) };
  const ask: HttpAsk = {
    method: isAbsent(method) ? "GET" : (method as string).toUpperCase(),
    url,
    headers: Object.fromEntries(lower),
    body: body === undefined || body.byteLength === 0 ? undefined : body,
  };
  const failure = failureOfAsk(ask);
  return failure === undefined ? { ok: true, ask } : { ok: false, failure };
}

/**
 * Returns why a request is not allowed at any host, or `undefined`. Checked in the guest's thread or process and again
 * by the engine, because an attacker may control the guest's process.
 */
export function failureOfAsk({ method, url, headers, body }: HttpAsk): Failure | undefined {
  if (!METHODS.includes(method)) return refused(`method ${quoted(method)} is none of ${METHODS.join(", ")}`);
  if (url.length > MAX_URL_LENGTH) return tooMuch("the URL", url.length, MAX_URL_LENGTH, "characters");
  const bytes = body?.byteLength ?? 0;
  if (bytes > MAX_BODY_BYTES) return tooMuch("the body", bytes, MAX_BODY_BYTES, "bytes");
  const fields = Object.entries(headers);
  if (fields.length > MAX_HEADERS) return tooMuch("the request", fields.length, MAX_HEADERS, "headers");
  const length = fields.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (length > MAX_HEADER_BYTES) return tooMuch("the headers", length, MAX_HEADER_BYTES, "bytes");
  for (const [name, value] of fields) {
    if (!NAME.test(name)) return refused(`${quoted(name)} is not a valid header name`);
    if (OURS.includes(name) || name.startsWith("proxy-"))
      return refused(`header ${quoted(name)} may not be set by a guard`);
    if (!VALUE.test(value)) return refused(`header ${quoted(name)} has a value that is not one line of Latin-1`);
  }
  return undefined;
}

function tooMuch(what: string, value: number, limit: number, unit: string): Failure {
  return refused(`${what} has ${value} ${unit}, over the limit of ${limit}`, { limit, value });
}

function fieldsOf(value: JsonValue): readonly (readonly [string, string])[] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields = Object.entries(value);
  return fields.every((field): field is [string, string] => typeof field[1] === "string") ? fields : undefined;
}

/** Whether a value is absent. Some plug-in kits write `null` for a value that is not set. */
function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function malformed(message: string): Failure {
  return { kind: "trap", message: `guest ABI: http_request: ${message}` };
}

function refused(message: string, bound: Pick<Failure, "limit" | "value"> = {}): Failure {
  return { kind: "capability", message: `http_request: ${message}`, ...bound };
}

function quoted(text: string): string {
  return JSON.stringify(cleanLine(text, 60));
}
