import { randomBytes } from "node:crypto";
import type { Variables } from "./environment.ts";

/** What tells the processes of one run of a hook from all others, wherever they have moved to: a variable that they inherit. */

export const MARK_VARIABLE = "HOOKBOX_HOOK_RUN";

const MARK = /^[0-9a-f]{32}$/;
/** A hook may start an agent with hooks of its own, and so on. Its value is whatever our own process was given. */
const OUTER_MARKS = /^[0-9a-f]{32}(?:\.[0-9a-f]{32}){0,14}$/;

/** Nobody can guess it: whoever has it was started by the hook, or was told. */
export function newMark(): string {
  return randomBytes(16).toString("hex");
}

/** Together with the marks of hooks that we are run by, so that their end is that of ours, too. */
export function markValue(mark: string, { [MARK_VARIABLE]: outer = "" }: Variables): string {
  return OUTER_MARKS.test(outer) ? `${outer}.${mark}` : mark;
}

export function isMark(value: unknown): value is string {
  return typeof value === "string" && MARK.test(value);
}

/** All marks in an environment as the system shows it. */
export function marksIn(environment: string): readonly string[] {
  // The rest of the environment is not looked at, and there may be much of it.
  if (!environment.includes(MARK_VARIABLE)) return [];
  const values = environment.split("\0").filter((entry) => entry.startsWith(`${MARK_VARIABLE}=`));
  return values.flatMap((entry) => entry.slice(MARK_VARIABLE.length + 1).split("."));
}
