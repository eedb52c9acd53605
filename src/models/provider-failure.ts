import { describeThrown } from "../errors.ts";
import { isJsonObject } from "../event.ts";
import { FetchFailed } from "../net/fetch-failed.ts";
import type { Failure } from "../outcome.ts";
import { redactSecrets } from "../secrets/redact.ts";
import { cleanLine, cleanText } from "../text.ts";
import { InvalidAnswer } from "./provider.ts";

/** What the error of a client library means for the rule behind it, in words that may be shown. */

const MAX_QUOTED = 300;
/** Of what a provider says; it may send a page. */
const MAX_READ = 4_000;

export interface ProviderFailure {
  readonly failure: Failure;
  /** The status that was answered with, and what it came with. */
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
  // The text that could not be read is part of the parser's message.
  if (error instanceof SyntaxError) return { failure: invalid(`${name}: the answer is not JSON`) };
  // Of whoever reads the answer, level by level.
  if (error instanceof RangeError) return { failure: invalid(`${name}: the answer is nested too deeply`) };
  return { failure: { kind: "unavailable", message: shown(`${name}: ${said(error)}`, key) } };
}

function invalid(message: string): Failure {
  return { kind: "invalid-output", message };
}

/** By their shape: of which class they are only the library knows, of which there may be several versions. */
function statusOf(error: unknown): { readonly status?: number; readonly headers?: Headers } {
  if (!(error instanceof Error)) return {};
  const { status, headers } = error as { readonly status?: unknown; readonly headers?: unknown };
  if (typeof status !== "number") return {};
  return headers instanceof Headers ? { status, headers } : { status };
}

/** `{"error": {"message": …}}`, or what is left of that; otherwise the library's own words. */
function said(error: unknown): string {
  const body = (error as { readonly error?: unknown } | undefined)?.error;
  for (const found of [body, isJsonObject(body) ? body["error"] : undefined]) {
    if (isJsonObject(found) && typeof found["message"] === "string") return found["message"];
  }
  return describeThrown(error);
}

/**
 * Cleaned first: a key with an invisible character inside would otherwise be none, and become one. Cut last: a part of a
 * key is one too many.
 */
function shown(message: string, key: string | undefined): string {
  const cleaned = cleanLine(message, message.length);
  const keyless = key === undefined ? cleaned : cleaned.replaceAll(key, "[key]");
  return cleanText(redactSecrets(keyless.slice(0, MAX_READ)), MAX_QUOTED);
}
