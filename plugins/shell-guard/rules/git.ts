// Git keeps nearly everything; these are the commands that lose work for good.

import { PLUS } from "../chars";
import { watchesHistory } from "../settings";
import { deny } from "../verdict";
import { Call, hasFlag, isLong } from "./call";
import { isOneOf, same, startsWith } from "../units";

// Options in front of the subcommand whose value is the next word.
const GLOBAL: StaticArray<string> = [
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
];

const UNASKED: i32 = 0;
const WATCHED: i32 = 1;
const UNWATCHED: i32 = 2;

let setting: i32 = 0;

export function resetHistory(): void {
  setting = UNASKED;
}

/** Asks the host at the first git command: asking costs more than judging most other commands. */
function isWatched(): bool {
  if (setting === UNASKED) setting = watchesHistory() ? WATCHED : UNWATCHED;
  return setting === WATCHED;
}

export function judgeGit(call: Call): void {
  if (!isWatched()) return;
  const args = call.args;
  let at = 0;
  while (at < args.length && startsWith(args[at], "-")) at += isOneOf(GLOBAL, args[at]) ? 2 : 1;
  if (at >= args.length) return;
  const inner = new Call(args[at], args.slice(at + 1));
  const verb = inner.name;
  if (same(verb, "push")) judgePush(inner);
  else if (same(verb, "reset")) judgeReset(inner);
  else if (same(verb, "clean")) judgeClean(inner);
  else if (same(verb, "checkout") || same(verb, "switch") || same(verb, "restore")) judgeCheckout(inner);
  else if (same(verb, "stash")) judgeStash(inner);
  else if (same(verb, "worktree")) judgeWorktree(inner);
}

function judgePush(call: Call): void {
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i];
    if (same(arg, "--force") || same(arg, "--mirror"))
      return deny(`git push ${arg}: it replaces what others may have pushed`);
    if (hasFlag(arg, 0x66, "o")) return deny("git push -f: it replaces what others may have pushed");
    if (arg.charCodeAt(0) === PLUS) return deny("git push of a +refspec: it replaces what others may have pushed");
  }
}

function judgeReset(call: Call): void {
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i];
    if (isLong(arg, "--hard") || isLong(arg, "--merge"))
      return deny(`git reset ${arg}: it throws away uncommitted work`);
  }
}

function judgeClean(call: Call): void {
  if (!call.has("--force", 0x66, "e") || call.has("--dry-run", 0x6e, "e")) return;
  deny("git clean -f: it deletes files that git does not know");
}

/** Forced, or of the whole tree: the same as reset --hard. Single files are ordinary work. */
function judgeCheckout(call: Call): void {
  const lost = "it throws away uncommitted work";
  if (!same(call.name, "restore") && (call.has("--force", 0x66, "bBcC") || call.has("--discard-changes", 0))) {
    return deny(`git ${call.name} -f: ${lost}`);
  }
  if (same(call.name, "restore") && call.has("--staged", 0x53) && !call.has("--worktree", 0x57)) return;
  const operands = call.operands();
  for (let i = 0; i < operands.length; i++) {
    if (same(operands[i], ".") || same(operands[i], ":/")) return deny(`git ${call.name} ${operands[i]}: ${lost}`);
  }
}

function judgeStash(call: Call): void {
  const verb = call.args.length > 0 ? call.args[0] : "";
  if (same(verb, "drop") || same(verb, "clear")) deny(`git stash ${verb}: it throws away stashed work`);
}

function judgeWorktree(call: Call): void {
  if (call.args.length === 0 || !same(call.args[0], "remove") || !call.has("--force", 0x66)) return;
  deny("git worktree remove -f: it throws away uncommitted work");
}
