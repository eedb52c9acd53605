import type { ProcessResult } from "../codec.ts";

/** Matches the message of an interpreter that cannot find its script and exits with 2. */
const SCRIPT_IS_GONE = /no such file|can(?:'t|not) open/i;

/**
 * Whether the hook's script is missing. Where a refusal keeps the agent going, a deleted hook would keep the agent
 * going forever.
 */
export function isScriptMissing({ exitCode, stdout, stderr }: ProcessResult): boolean {
  return exitCode === 2 && stdout.trim() === "" && SCRIPT_IS_GONE.test(stderr);
}
