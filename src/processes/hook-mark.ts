import { randomBytes } from "node:crypto";
import type { Variables } from "./environment.ts";

/** A variable that all processes of one run of a hook inherit, so that processes that left the group can be found. */

export const MARK_VARIABLE = "HOOKBOX_HOOK_RUN";

const MARK = /^[0-9a-f]{32}$/;
/** Matches the marks of the runs around this process, because a hook may start an agent, which runs hooks again. */
const OUTER_MARKS = /^[0-9a-f]{32}(?:\.[0-9a-f]{32}){0,14}$/;

/** Returns a random mark. Only processes that the hook started have it, or processes that were given it. */
export function newMark(): string {
  return randomBytes(16).toString("hex");
}

/** Returns the variable's value: the mark and the marks of outer hooks, whose end ends this hook too. */
export function markValue(mark: string, { [MARK_VARIABLE]: outer = "" }: Variables): string {
  return OUTER_MARKS.test(outer) ? `${outer}.${mark}` : mark;
}

export function isMark(value: unknown): value is string {
  return typeof value === "string" && MARK.test(value);
}

/** Returns all marks in the text of `/proc/PID/environ`. */
export function marksIn(environment: string): readonly string[] {
  // The fast path, because an environment may be large.
  if (!environment.includes(MARK_VARIABLE)) return [];
  const values = environment.split("\0").filter((entry) => entry.startsWith(`${MARK_VARIABLE}=`));
  return values.flatMap((entry) => entry.slice(MARK_VARIABLE.length + 1).split("."));
}
