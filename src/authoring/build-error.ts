import { HookError, type Problem } from "../errors.ts";

/**
 * Why a guard cannot be built. As an error it is the first problem; a compiler often finds several, and whoever mends
 * them wants to see all. Files in places are absolute.
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

/** Throws if there is an error among them. */
export function refuseErrors(problems: readonly Problem[]): void {
  const [first, ...rest] = problems.filter(({ severity }) => severity === "error");
  if (first !== undefined) throw new BuildError([first, ...rest]);
}
