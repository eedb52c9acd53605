import { BuildError } from "../../authoring/build-error.ts";
import { HookError, type Problem } from "../../errors.ts";

/** Returns the problems of a failed build. Rethrows errors that are not about the guard. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof BuildError) return error.problems;
  if (!(error instanceof HookError) || !error.code.startsWith("HOOK_MODULE_")) throw error;
  const { code, message, hint, place } = error;
  return [
    {
      severity: "error",
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(place === undefined ? {} : { place }),
    },
  ];
}
