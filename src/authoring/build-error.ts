import { HookError, type Problem } from "../errors.ts";

/**
 * Thrown if a guard cannot be built. The message is that of the first problem; `problems` has all problems of the
 * compiler. Files in places are absolute.
 */
export class BuildError extends HookError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly [Problem, ...Problem[]], cause?: unknown) {
    const [{ code, message, hint, place }] = problems;
    super(code, message, {
      ...(hint === undefined ? {} : { hint }),
      ...(place === undefined ? {} : { place }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.problems = problems;
  }
}

/** Throws a `BuildError` if a problem is an error. */
export function refuseErrors(problems: readonly Problem[]): void {
  const [first, ...rest] = problems.filter(({ severity }) => severity === "error");
  if (first !== undefined) throw new BuildError([first, ...rest]);
}
