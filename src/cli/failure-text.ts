import { describeThrown, formatPlace, type HookError } from "../errors.ts";
import { cleanText } from "../text.ts";

/** Verbs for authors are bundled apart, with a class of their own of the same name. */
export function isHookError(error: unknown): error is HookError {
  return error instanceof Error && error.name === "HookError" && "code" in error;
}

function describeFailure(error: unknown): string {
  if (!isHookError(error)) {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    return `hookbox: HOOK_INTERNAL: ${describeThrown(error)}\n${stack}`;
  }
  const place = error.place === undefined ? "" : `${formatPlace(error.place)}: `;
  const hint = error.hint === undefined ? "" : `\n  ${error.hint}`;
  return `hookbox: ${place}${error.code}: ${error.message}${hint}`;
}

/** Errors for which standard output has an agent's refusal already. */
export const answered = new WeakSet<object>();

/** An error for machines. */
export function errorAsData(error: unknown): object {
  if (!isHookError(error)) return { code: "HOOK_INTERNAL", message: describeThrown(error), hint: null, place: null };
  const { code, message, hint, place } = error;
  return { code, message, hint: hint ?? null, place: place ?? null };
}

/** What a person is told of it. File names and keys in files are strangers' words, and are cleaned. */
export function failureText(error: unknown): string {
  return `${cleanText(describeFailure(error), Number.POSITIVE_INFINITY)}\n`;
}
