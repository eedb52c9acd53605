import { BuildError } from "../../authoring/build-error.ts";
import { HookError, type Problem } from "../../errors.ts";

/** All that a failed build has found. Errors that are not about the guard are thrown on. */
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
