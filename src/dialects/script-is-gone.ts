import type { ProcessResult } from "../codec.ts";

/** The message of an interpreter that cannot find its script. It exits with 2, which is not the hook's decision. */
const SCRIPT_IS_GONE = /no such file|can(?:'t|not) open/i;

/**
 * Whether the hook's script is missing. At events where a refusal keeps the agent going, a deleted hook would keep it
 * going for ever.
 */
export function isScriptGone({ exitCode, stdout, stderr }: ProcessResult): boolean {
  return exitCode === 2 && stdout.trim() === "" && SCRIPT_IS_GONE.test(stderr);
}
