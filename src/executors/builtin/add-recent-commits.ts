import type { BuiltinHook } from "./builtin.ts";
import { addGitText } from "./git.ts";
import { positiveInteger } from "./positive-integer.ts";

const DEFAULT_COUNT = 10;
const MAX_COUNT = 1_000;
const MAX_BYTES = 8_192;

export const addRecentCommits: BuiltinHook = {
  problemOf: ([count]) =>
    count === undefined || positiveInteger(count, MAX_COUNT) !== undefined
      ? undefined
      : `the argument must be a number from 1 to ${MAX_COUNT}, not ${JSON.stringify(count)}`,
  run: (call) => {
    const count = positiveInteger(call.args[0], MAX_COUNT) ?? DEFAULT_COUNT;
    const args = ["log", "--oneline", "--no-decorate", "--no-notes", "--no-show-signature", "--no-color", `-n${count}`];
    return addGitText(call, "Recent commits:", args, MAX_BYTES);
  },
};
