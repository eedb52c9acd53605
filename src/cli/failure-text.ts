import { describeThrown, formatPlace, HookError } from "../errors.ts";
import { cleanText } from "../text.ts";

function describeFailure(error: unknown): string {
  if (!(error instanceof HookError)) {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    return `hookbox: HOOK_INTERNAL: ${describeThrown(error)}\n${stack}`;
  }
  const place = error.place === undefined ? "" : `${formatPlace(error.place)}: `;
  const hint = error.hint === undefined ? "" : `\n  ${error.hint}`;
  return `hookbox: ${place}${error.code}: ${error.message}${hint}`;
}

/** Errors whose refusal was already written to standard output. */
export const answered = new WeakSet<object>();

/** Returns an error as data for `--json`. */
export function errorAsData(error: unknown): object {
  if (!(error instanceof HookError))
    return { code: "HOOK_INTERNAL", message: describeThrown(error), hint: null, place: null };
  const { code, message, hint, place } = error;
  return { code, message, hint: hint ?? null, place: place ?? null };
}

/** Returns an error as text for users, cleaned, because names of files and keys may contain control characters. */
export function failureText(error: unknown): string {
  return `${cleanText(describeFailure(error), Number.POSITIVE_INFINITY)}\n`;
}
