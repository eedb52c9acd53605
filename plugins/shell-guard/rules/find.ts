// `find` removes with -delete or by running something on what it finds.

import { isEverything } from "../paths/path";
import { CONFIGURED, INSIDE, protection, SYSTEM, show, WORK } from "../paths/protected";
import { Command, Pipeline } from "../shell/command";
import { spend } from "../text";
import { deny } from "../verdict";
import { Call } from "./call";
import { judge } from "./judge";
import { unwrap } from "./unwrap";
import { isOneOf, same, startsWith } from "../units";

const WORK_PER_WORD: i32 = 4;

const REMOVERS: StaticArray<string> = ["rm", "rmdir", "shred", "unlink"];
// Tests that leave (nearly) everything in.
const NEUTRAL: StaticArray<string> = [
  "-type",
  "-depth",
  "-d",
  "-maxdepth",
  "-mindepth",
  "-mount",
  "-xdev",
  "-follow",
  "-print",
  "-print0",
  "-a",
  "-o",
  "-and",
  "-or",
  "-warn",
  "-nowarn",
  "-prune",
  "-true",
];
const RUNNERS: StaticArray<string> = ["-exec", "-execdir", "-ok", "-okdir"];

export class Search {
  roots: Array<string> = [];
  filtered: bool = false;
  deletes: bool = false;
  /** The commands of all -exec. */
  runs: Array<Array<string>> = [];
}

export function judgeFind(call: Call): void {
  const search = readSearch(call.args);
  if (search.deletes) judgeRoots("find -delete", search.roots, search.filtered);
  for (let i = 0; i < search.runs.length; i++) {
    const inner = unwrap(search.runs[i], 0);
    judgeFound(inner, search.roots, search.filtered);
    const command = new Command();
    command.words = search.runs[i];
    judge(command, new Pipeline());
  }
}

/** Judges a command that is run on what was found below these places. */
export function judgeFound(call: Call, roots: Array<string>, filtered: bool): void {
  if (isOneOf(REMOVERS, call.name)) judgeRoots(`find and ${call.name}`, roots, filtered);
}

function judgeRoots(how: string, roots: Array<string>, filtered: bool): void {
  // Picking some files out of one's own project is ordinary work, picking them out of /etc is not.
  const scope = filtered ? CONFIGURED | SYSTEM | INSIDE : CONFIGURED | SYSTEM | INSIDE | WORK;
  for (let i = 0; i < roots.length; i++) {
    const what = protection(roots[i], scope);
    if (what !== null) return deny(`${how} in ${what}: ${show(roots[i])}`);
  }
}

export function readSearch(args: Array<string>): Search {
  const search = new Search();
  let at = 0;
  while (at < args.length && isGlobalOption(args[at])) at++;
  while (at < args.length && !startsExpression(args[at])) search.roots.push(args[at++]);
  if (search.roots.length === 0) search.roots.push(".");
  let negated = false;
  while (at < args.length) {
    const arg = args[at++];
    if (same(arg, "!") || same(arg, "-not")) {
      negated = true;
      continue;
    }
    if (same(arg, "-delete")) search.deletes = true;
    else if (isOneOf(RUNNERS, arg)) at = readRun(args, at, search);
    else if (startsWith(arg, "-") && !isOneOf(NEUTRAL, arg)) {
      // Everything but one thing is no selection, and neither is a pattern that everything fits.
      if (!negated && !(at < args.length && isAnything(args[at]))) search.filtered = true;
    }
    negated = false;
  }
  return search;
}

function isGlobalOption(arg: string): bool {
  return same(arg, "-H") || same(arg, "-L") || same(arg, "-P") || startsWith(arg, "-O");
}

function startsExpression(arg: string): bool {
  return startsWith(arg, "-") || same(arg, "(") || same(arg, "!");
}

function isAnything(pattern: string): bool {
  return same(pattern, "*") || isEverything(pattern);
}

function readRun(args: Array<string>, at: i32, search: Search): i32 {
  const words = new Array<string>();
  while (at < args.length && !same(args[at], ";") && !same(args[at], "+")) words.push(args[at++]);
  // Each level of nesting copies what is left.
  spend(words.length * WORK_PER_WORD);
  search.runs.push(words);
  return at + 1;
}
