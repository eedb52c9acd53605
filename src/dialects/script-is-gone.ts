import type { ProcessResult } from "../codec.ts";

/** An interpreter's own words for a script that it cannot find. It ends with 2, which is no word of the hook's. */
const SCRIPT_IS_GONE = /no such file|can(?:'t|not) open/i;

/** Where a "no" keeps the agent going, a hook that has been deleted would keep it going for ever. */
export function isScriptGone({ exitCode, stdout, stderr }: ProcessResult): boolean {
  return exitCode === 2 && stdout.trim() === "" && SCRIPT_IS_GONE.test(stderr);
}
