// `find` removes files with -delete or by running a command on the files that it finds.

import { type Found, newCommand, newPipeline } from "../../../src/shell/command.ts";
import { runsOf, wordsOf } from "../../../src/shell/inner-commands.ts";
import { isEverything } from "../paths/path.ts";
import type { Shell } from "../shell.ts";
import { type Call, callOf, has } from "./call.ts";
import { judgeTree } from "./removal.ts";

const WORK_PER_WORD = 50;

const SHELL = /^(?:ba|da|k|z)?sh$/;
const REMOVERS: ReadonlySet<string> = new Set(["rm", "rmdir", "shred", "unlink"]);
/** Tests that exclude nothing or nearly nothing. */
const NEUTRAL: ReadonlySet<string> = new Set([
  ...["-type", "-depth", "-d", "-maxdepth", "-mindepth", "-mount", "-xdev", "-follow", "-print", "-print0", "-a"],
  ...["-o", "-and", "-or", "-warn", "-nowarn", "-prune", "-true"],
]);
const RUNNERS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

interface Search extends Found {
  readonly deletes: boolean;
  /** The commands of all -exec options. */
  readonly runs: readonly (readonly string[])[];
}

export function judgeFind(shell: Shell, call: Call): void {
  const search = readSearch(shell, call.args);
  if (search.deletes) judgeRoots(shell, "find -delete", search, true);
  for (const run of search.runs) {
    // Without `{}` the command does not get the names of the files.
    if (run.some((word) => word.includes("{}"))) judgeFound(shell, innermost(run), search);
    // A shell gets the names as arguments of its script, so the script is judged with the first root as a name.
    const [root = "."] = search.roots;
    const words =
      !search.filtered && SHELL.test(innermost(run).name) ? run.map((word) => (word === "{}" ? root : word)) : run;
    shell.enter();
    shell.take(newCommand([...words]), newPipeline());
    shell.leave();
  }
}

/** Returns the program that the words finally run: `rm` for `sudo rm`. */
function innermost(words: readonly string[]): Call {
  const last = runsOf(words)?.at(-1);
  return callOf(last === undefined ? words : wordsOf(words, last), false);
}

/** Judges a command that runs on the files that `find` found. */
export function judgeFound(shell: Shell, call: Call, found: Found): void {
  if (REMOVERS.has(call.name)) judgeRoots(shell, `find and ${call.name}`, found, has(call, "--force", "f"));
}

function judgeRoots(shell: Shell, how: string, { roots, filtered }: Found, isForced: boolean): void {
  // Removing selected files from a project is ordinary work; removing them from /etc is not.
  for (const root of roots) judgeTree(shell, `${how} in`, root, { isForced, isFiltered: filtered });
}

export function readSearch(shell: Shell, args: readonly string[]): Search {
  shell.spend(args.length * WORK_PER_WORD);
  let at = 0;
  while (/^-(?:[HLP]$|O)/.test(args[at] ?? "")) at += 1;
  const start = at;
  while (at < args.length && !/^(?:-|[(!]$)/.test(args[at] ?? "")) at += 1;
  const roots = at > start ? args.slice(start, at) : ["."];
  const runs: string[][] = [];
  let filtered = false;
  let deletes = false;
  let negated = false;
  while (at < args.length) {
    const arg = args[at++] ?? "";
    if (arg === "!" || arg === "-not") {
      negated = true;
      continue;
    }
    if (arg === "-delete") deletes = true;
    else if (RUNNERS.has(arg)) {
      let end = at;
      while (end < args.length && args[end] !== ";" && args[end] !== "+") end += 1;
      const run = args.slice(at, end);
      // Each level of nesting copies the rest of the words.
      shell.spend(run.length * WORK_PER_WORD);
      runs.push(run);
      at += run.length + 1;
    } else if (arg[0] === "-" && !NEUTRAL.has(arg)) {
      // A negated test and a pattern that matches everything do not restrict the search.
      const pattern = args[at];
      if (!negated && !(pattern === "*" || (pattern !== undefined && isEverything(pattern)))) filtered = true;
    }
    negated = false;
  }
  return { roots, filtered, deletes, runs };
}
