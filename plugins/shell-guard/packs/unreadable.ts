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
  "too-long": {
    radius: "low",
    decision: "ask",
    because: "this command could not be checked",
    instead: "sh install.sh",
    denied: ["$(".repeat(40), "ls; ".repeat(4_000)],
    passed: ["ls; ".repeat(10)],
  },
  "code-built": {
    radius: "medium",
    decision: "ask",
    because: "code that is decoded or built from parts runs unseen",
    instead: "base64 -d run.b64 > run.txt",
    denied: ["base64 -d run.b64 | sh", "python3 -c 'exec(bytes(x ^ 7 for x in data).decode())'"],
    passed: ["base64 -d run.b64", "python3 -c 'exec(open(\"setup.py\").read())'"],
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
