import type { Pack } from "../rules/category.ts";

/** Text that the guard cannot judge. */
export const UNREADABLE: Pack = {
  unreadable: {
    radius: "low",
    decision: "ask",
    because: "this command could not be checked",
    instead: "sh install.sh",
    denied: ["echo 'unterminated", "ls)"],
    passed: ["echo 'terminated'"],
  },
  "fork-bomb": {
    radius: "high",
    decision: "deny",
    because: "a function that starts copies of itself without end",
    instead: "ulimit -u 200",
    denied: [":(){ :|:& };:", "f() { f | f & }; f"],
    passed: ["f() { echo a | cat & }; f"],
  },
};
