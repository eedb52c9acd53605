import type { BuiltinHook } from "./builtin.ts";
import { addGitText } from "./git.ts";

const MAX_BYTES = 4_096;
const FULL = "full";

const DIFF = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"];

/** Adds the changes that are not staged: a summary, or the whole diff with `full`. */
export const addGitDiff: BuiltinHook = {
  problemOf: ([form]) =>
    form === undefined || form === FULL ? undefined : `the argument must be "${FULL}", not ${JSON.stringify(form)}`,
  run: (call) =>
    call.args[0] === FULL
      ? addGitText(call, "Git diff:", DIFF, MAX_BYTES)
      : addGitText(call, "Git diff (summary):", [...DIFF, "--stat"], MAX_BYTES),
};
