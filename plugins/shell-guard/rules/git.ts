// The git commands whose effect depends on more than their options. The table in packs/git.ts has the others.

import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, hasFlag } from "./call.ts";
import type { Damage } from "./category.ts";
import { argumentsOf, damageOf } from "./table.ts";

/** Options before the subcommand whose value is the next word. */
const GLOBAL: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"],
]);

const DISCARD_ALL = damageOf("git-discard-all");
const DISCARD_FILES = damageOf("git-discard-files");
const CLEAN = damageOf("git-clean");
const PUSH_FORCE = damageOf("git-push-force");
const PUSH_LEASE = damageOf("git-push-lease-ignored");
const PUSH_DELETE = damageOf("git-push-delete");
const BRANCH_DELETE = damageOf("git-branch-delete");

export function judgeGit(shell: Shell, { args }: Call): void {
  let at = 0;
  while (args[at]?.[0] === "-") at += GLOBAL.has(args[at] ?? "") ? 2 : 1;
  const name = args[at];
  const judgeVerb = name === undefined ? undefined : VERBS.get(name);
  if (name === undefined || judgeVerb === undefined) return;
  const call = { name, args: args.slice(at + 1), takesInput: false };
  if (call.args.includes("--help") || has(call, "--dry-run", name === "push" || name === "clean" ? "n" : "")) return;
  const damage = judgeVerb(call, args);
  if (damage !== undefined) shell.report(damage, show(`git ${name} ${call.args.join(" ")}`));
}

/** The judges of subcommands. */
const VERBS: ReadonlyMap<string, (call: Call, all: readonly string[]) => Damage | undefined> = new Map([
  ["push", judgePush],
  ["clean", judgeClean],
  ["checkout", judgeCheckout],
  ["restore", judgeRestore],
  ["branch", judgeBranch],
]);

function judgePush({ args }: Call): Damage | undefined {
  let forces = false;
  let leases = false;
  let deletes = false;
  for (const arg of args) {
    if (arg === "--force" || hasFlag(arg, "f", "o") || arg[0] === "+") forces = true;
    else if (arg.startsWith("--force-with-lease")) leases = true;
    else if (/^:./.test(arg)) deletes = true;
  }
  if (forces) return leases ? PUSH_LEASE : PUSH_FORCE;
  return deletes ? PUSH_DELETE : undefined;
}

function judgeClean(call: Call, all: readonly string[]): Damage | undefined {
  const needsNoForce = all.some((arg) => /^(?:-c)?clean\.requireforce=(?:false|0|no|off)$/i.test(arg));
  return needsNoForce || has(call, "--force", "f", "e") ? CLEAN : undefined;
}

/** Options of checkout that create a branch, or only move to one. */
const BRANCHING = ["--orphan", "--detach", "--track"];
const VALUED_CHECKOUT: ReadonlySet<string> = new Set(["-U", "--unified", "--inter-hunk-context", "--conflict"]);

/** Judges a forced checkout, a checkout of the whole tree, and a checkout of files. */
function judgeCheckout(call: Call): Damage | undefined {
  if (has(call, "--force", "f", "bB")) return DISCARD_ALL;
  const { operands, hasDash } = splitPaths(call, VALUED_CHECKOUT);
  if (hasWhole(operands)) return DISCARD_ALL;
  if (call.args.some((arg) => arg.startsWith("--pathspec-from"))) return DISCARD_FILES;
  const branches = call.args.some((arg) => /^-(?!-)[^-]*[bBdt]/.test(arg) || startsWithAny(arg, BRANCHING));
  if (branches) return undefined;
  if (call.args.some((arg) => arg === "--ours" || arg === "--theirs")) return DISCARD_FILES;
  return hasDash || operands.length > 1 ? DISCARD_FILES : undefined;
}

function startsWithAny(arg: string, options: readonly string[]): boolean {
  return options.some((option) => arg === option || arg.startsWith(`${option}=`));
}

const VALUED_RESTORE: ReadonlySet<string> = new Set(["-s", "--source", ...VALUED_CHECKOUT]);

function judgeRestore(call: Call): Damage | undefined {
  if (has(call, "--staged", "S", "s") && !has(call, "--worktree", "W", "s")) return undefined;
  const { operands } = splitPaths(call, VALUED_RESTORE);
  if (hasWhole(operands)) return DISCARD_ALL;
  const hasList = call.args.some((arg) => arg.startsWith("--pathspec-from"));
  return hasList || operands.length > 0 ? DISCARD_FILES : undefined;
}

/** Returns the branches and paths of a command. `hasDash` means that paths follow `--`. */
function splitPaths({ args }: Call, valued: ReadonlySet<string>): { operands: readonly string[]; hasDash: boolean } {
  const end = args.indexOf("--");
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (end >= 0 && at > end) operands.push(arg);
    else if (valued.has(arg)) at += 1;
    else if (arg[0] !== "-") operands.push(arg);
  }
  return { operands, hasDash: end >= 0 && end < args.length - 1 };
}

function hasWhole(operands: readonly string[]): boolean {
  return operands.some((operand) => operand === "." || operand === "./" || operand === ":/" || operand === "*");
}

function judgeBranch({ args }: Call): Damage | undefined {
  const given = argumentsOf("git", args);
  const deletes = ["-D", "-M", "-C", "-f", "--force"].some((option) => given.has(option));
  return deletes ? BRANCH_DELETE : undefined;
}
