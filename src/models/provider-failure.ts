import { describeThrown } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import { FetchFailed } from "../net/fetch-failed.ts";
import type { Failure } from "../outcome.ts";
import { redactSecrets } from "../secrets/redact.ts";
import { cleanLine, cleanText } from "../text.ts";
import { InvalidAnswer } from "./provider.ts";

/** Turns the error of a client library into a rule's failure, without secrets in its text. */

const MAX_QUOTED = 300;
/** The maximum number of characters that are read of a provider's error, which may be a whole page. */
const MAX_READ = 4_000;

export interface ProviderFailure {
  readonly failure: Failure;
  /** The HTTP status of the response. */
  readonly status?: number;
  readonly headers?: Headers;
}

export function providerFailure(
  error: unknown,
  {
    name,
    key,
    fetchFailed,
  }: { readonly name: string; readonly key: string | undefined; readonly fetchFailed: FetchFailed | undefined },
): ProviderFailure {
  const { status, headers } = statusOf(error);
  if (status !== undefined) {
    const message = `${name} answered with status ${status}: ${said(error)}`;
    const failure: Failure = { kind: "unavailable", message: shown(message, key), value: status };
    return { failure, status, ...(headers === undefined ? {} : { headers }) };
  }
  const failed = error instanceof FetchFailed ? error : fetchFailed;
  if (failed !== undefined) {
    const { failure } = failed;
    return { failure: { ...failure, message: shown(`${name}: ${failure.message}`, key) } };
  }
  if (error instanceof InvalidAnswer) return { failure: invalid(shown(`${name}: ${error.message}`, key)) };
  // The parser's message is left out, because it quotes the text.
  if (error instanceof SyntaxError) return { failure: invalid(`${name}: the answer is not JSON`) };
  // A recursive reader of the answer overflowed the stack.
  if (error instanceof RangeError) return { failure: invalid(`${name}: the answer is nested too deeply`) };
  return { failure: { kind: "unavailable", message: shown(`${name}: ${said(error)}`, key) } };
}

function invalid(message: string): Failure {
  return { kind: "invalid-output", message };
}

/**
 * Returns the status of an error. Tests the error's fields, not its class, because several versions of the library may
 * be loaded, each with its own class.
 */
function statusOf(error: unknown): { readonly status?: number; readonly headers?: Headers } {
  if (!(error instanceof Error)) return {};
  const { status, headers } = error as { readonly status?: unknown; readonly headers?: unknown };
  if (typeof status !== "number") return {};
  return headers instanceof Headers ? { status, headers } : { status };
}

/** Returns the text of an error: `{"error": {"message": …}}` or a part of it, otherwise the library's message. */
function said(error: unknown): string {
  const body = (error as { readonly error?: unknown } | undefined)?.error;
  for (const found of [body, isJsonObject(body) ? body["error"] : undefined]) {
    if (isJsonObject(found) && typeof found["message"] === "string") return found["message"];
  }
  return describeThrown(error);
}

/**
 * Returns a message without the key. Removes invisible characters first, because a key that contains one would not be
 * found. Cuts the message last, because a part of a key would not be found either.
 */
function shown(message: string, key: string | undefined): string {
  const cleaned = cleanLine(message, message.length);
  const keyless = key === undefined ? cleaned : cleaned.replaceAll(key, "[key]");
  return cleanText(redactSecrets(keyless.slice(0, MAX_READ)), MAX_QUOTED);
}
