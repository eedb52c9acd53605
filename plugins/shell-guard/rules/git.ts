// The git commands that lose work permanently. Git keeps nearly everything else.

import type { Shell } from "../shell.ts";
import { type Call, has, hasFlag, isLong, operandsOf } from "./call.ts";

/** Options before the subcommand whose value is the next word. */
const GLOBAL: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"],
]);

const LOST = "it throws away uncommitted work";
const REPLACED = "it replaces what others may have pushed";

export function judgeGit(shell: Shell, { args }: Call): void {
  if (!shell.gitHistory) return;
  let at = 0;
  while (args[at]?.[0] === "-") at += GLOBAL.has(args[at] ?? "") ? 2 : 1;
  const name = args[at];
  if (name === undefined) return;
  const reason = VERBS.get(name)?.({ name, args: args.slice(at + 1), takesInput: false });
  if (reason !== undefined) shell.deny(`git ${name} ${reason}`);
}

/** The judges of subcommands. Each function returns the reason to deny, or `undefined`. */
const VERBS: ReadonlyMap<string, (call: Call) => string | undefined> = new Map([
  ["push", judgePush],
  ["reset", judgeReset],
  ["clean", judgeClean],
  ["checkout", judgeCheckout],
  ["switch", judgeCheckout],
  ["restore", judgeCheckout],
  ["stash", judgeStash],
  ["worktree", judgeWorktree],
]);

function judgePush({ args }: Call): string | undefined {
  for (const arg of args) {
    if (arg === "--force" || arg === "--mirror") return `${arg}: ${REPLACED}`;
    if (hasFlag(arg, "f", "o")) return `-f: ${REPLACED}`;
    if (arg[0] === "+") return `of a +refspec: ${REPLACED}`;
  }
  return undefined;
}

function judgeReset({ args }: Call): string | undefined {
  const mode = args.find((arg) => isLong(arg, "--hard") || isLong(arg, "--merge"));
  return mode === undefined ? undefined : `${mode}: ${LOST}`;
}

function judgeClean(call: Call): string | undefined {
  if (!has(call, "--force", "f", "e") || has(call, "--dry-run", "n", "e")) return undefined;
  return "-f: it deletes files that git does not track";
}

/** Denies a forced checkout and one of the whole tree, which act like reset --hard. */
function judgeCheckout(call: Call): string | undefined {
  if (call.name !== "restore") {
    if (has(call, "--force", "f", "bBcC") || has(call, "--discard-changes", "")) return `-f: ${LOST}`;
  } else if (has(call, "--staged", "S") && !has(call, "--worktree", "W")) return undefined;
  const whole = operandsOf(call).find((operand) => operand === "." || operand === ":/");
  return whole === undefined ? undefined : `${whole}: ${LOST}`;
}

function judgeStash({ args: [verb] }: Call): string | undefined {
  return verb === "drop" || verb === "clear" ? `${verb}: it throws away stashed work` : undefined;
}

function judgeWorktree(call: Call): string | undefined {
  return call.args[0] === "remove" && has(call, "--force", "f") ? `remove -f: ${LOST}` : undefined;
}
