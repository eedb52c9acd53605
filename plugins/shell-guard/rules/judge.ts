// Passes each command to the rules for its program.

import { assign } from "../../../src/shell/assignments.ts";
import type { Command, Pipeline } from "../../../src/shell/command.ts";
import { runsOf, wordsOf } from "../../../src/shell/inner-commands.ts";
import { FETCHED, HOME, startsOpen } from "../../../src/shell/marks.ts";
import { baseName, RUNNER_NAMES, runnerOf } from "../../../src/shell/programs.ts";
import { runsText, TEXT_RUNNERS } from "../../../src/shell/scripts.ts";
import { INTERPRETER_NAMES, judgeFile, judgeInterpreter, withoutVersion } from "../code/interpreters.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, callOf, fromName, operandsOf } from "./call.ts";
import { CARRIERS, judgeCarried, judgeVariable } from "./carriers.ts";
import { judgeDd, judgeDiscard, judgeFormat, judgeShred, judgeWipe } from "./disk.ts";
import { judgeFind, judgeFound } from "./find.ts";
import { follow, isFlow } from "./flow.ts";
import { judgeGit } from "./git.ts";
import { judgeDeletion } from "./http.ts";
import { isNamePattern, namesFor } from "./names.ts";
import { judgeConnection, judgeKill } from "./processes.ts";
import { judgePermissions, judgeRemoval } from "./removal.ts";
import { isSafe } from "./safe.ts";
import { judgeEnvironment, judgeReading, judgeSending } from "./secrets.ts";
import { judgeSed } from "./sed.ts";
import { judgeScripts } from "./shells.ts";
import { judgeSql, SQL_CLIENTS } from "./sql.ts";
import { candidates, damagesOf, rulesOf } from "./table.ts";
import { judgeChange, judgeCopy, judgeMove, judgeRedirections, judgeRights } from "./writes.ts";

const WORK_PER_ARGUMENT = 120;
const WORK_PER_ASSIGNMENT = 500;
const WORK_PER_RUNNER = 3_500;
const WORK_PER_JUDGE = 500;
const WORK_PER_RULE = 600;

/** Matches options that remove a folder without a question. */
const FORCED_TREE = /(?:^| )-(?:r\w*f|f\w*r|R\w*f|f\w*R)/;

type Rule = (shell: Shell, call: Call, command: Command, pipeline: Pipeline) => void;

const RULES = new Map<string, readonly Rule[]>();

/** Adds judges of programs, after those that the programs already have. */
function rule(programs: string, ...rules: readonly Rule[]): void {
  for (const name of programs.split(" ")) RULES.set(name, [...(RULES.get(name) ?? []), ...rules]);
}

rule("rm", judgeRemoval);
rule("find", judgeFind);
rule("git", judgeGit);
rule("cd", move);
rule("pushd", push);
rule("popd", pop);
rule("export declare local readonly typeset", declare);
rule("set shopt", setParameters);
rule("shift", shift);
rule("read mapfile readarray", readVariables);
rule("dd", judgeDd);
rule("mkfs mke2fs mkswap", judgeFormat);
rule("blkdiscard", judgeDiscard);
rule("wipefs", judgeWipe);
rule("shred", judgeShred, judgeChange);
rule("chmod chown chgrp", judgePermissions, judgeRights);
rule("rmdir tee truncate unlink", judgeChange);
rule("cp install ln rsync", judgeCopy);
rule("mv", judgeMove);
rule("sed", judgeSed);
rule("kill", judgeKill);
rule("sh bash dash ksh zsh exec", judgeConnection);
rule(SQL_CLIENTS, judgeSql);
rule("curl wget http https xh invoke-restmethod invoke-webrequest irm iwr", judgeDeletion);
rule("curl wget http https nc ncat netcat scp sftp rsync ftp telnet mail mailx sendmail rclone socat", judgeSending);
rule("cat head tail less more bat batcat nl od xxd hexdump strings base64 base32 tac view cut sort", judgeReading);
rule("grep rg awk sed cp tar zip gpg openssl dd get-content", judgeReading);
rule("env printenv export set declare", judgeEnvironment);
rule(FETCHED, (shell) => shell.denyDownload("downloaded text is run as a command"));

/** The programs that a name with wildcards may mean, one a line. */
const JUDGED = [...RULES.keys(), ...RUNNER_NAMES, ...TEXT_RUNNERS].sort().join("\n");

rule(INTERPRETER_NAMES, judgeInterpreter);
rule(CARRIERS, judgeCarried);
rule("rimraf del-cli", judgeTrees);

export function judge(shell: Shell, command: Command, pipeline: Pipeline): void {
  const { words, redirections } = command;
  if (redirections !== undefined) {
    judgeRedirections(shell, redirections.writes);
    for (const file of redirections.writes) {
      shell.store().written.add(baseName(file));
      if (file !== "/dev/null") shell.isSafe = false;
    }
  }
  const own = fromName(words);
  for (let at = 0; at < words.length - own.length; at++) {
    const word = words[at] ?? "";
    if (startsOpen(word)) shell.mayRun("the name of a command is not known");
    else {
      shell.takeName(word);
      judgeVariable(shell, word);
    }
  }
  // `c=r; c+=m; $c -rf /` shows the program only by its options.
  if (own !== words && own[0]?.[0] === "-" && startsOpen(words[0] ?? "")) {
    if (FORCED_TREE.test(own.join(" "))) shell.tryCommand(["rm", ...own], "the name of a command is not known");
  }
  if (own.length === 0) {
    shell.spend(words.length * WORK_PER_ASSIGNMENT);
    for (const word of words) assign(shell, word);
    pipeline.data = undefined;
    if (words.length === 0) return;
    shell.commands += 1;
    shell.printed = undefined;
    return;
  }
  const first = callOf(own, false);
  // Most programs do not run another program.
  if (runnerOf(first.name) === undefined) {
    judgeCall(shell, own, first, command, pipeline);
    follow(shell, first, command, pipeline);
  } else judgeRuns(shell, own, command, pipeline);
}

/** Whether the word is the name of a program that a rule judges, or that runs other programs or text. */
export function isJudged(word: string): boolean {
  const { name } = callOf([word], false);
  return (
    RULES.has(generic(name)) ||
    rulesOf(name) !== undefined ||
    runnerOf(name) !== undefined ||
    runsText(name) ||
    isNamePattern(word)
  );
}

/** Judges a command and the commands that it runs, such as `rm` in `sudo rm`. */
function judgeRuns(shell: Shell, words: readonly string[], command: Command, pipeline: Pipeline): void {
  shell.spend(WORK_PER_RUNNER);
  const runs = runsOf(words);
  if (runs === undefined) shell.doubt("too many commands wrap each other");
  let flows: Call | undefined;
  const texts = pipeline.data?.inputs?.map((input) => input.text);
  for (const run of runs ?? []) {
    // `xargs -I{}` puts the line of a known text into the command.
    const inner = wordsOf(words, run, texts?.length === 1 ? texts[0]?.trim() : undefined);
    const call = callOf(inner, run.isOpen);
    judgeCall(shell, inner, call, command, pipeline);
    if (call.name === "env" || call.name === "sudo") for (const word of call.args) takeAssignment(shell, word);
    if (flows === undefined || run.start === 0 || isFlow(call.name)) flows = call;
    // The rule for `find` judges the commands that `find` runs.
    if (call.name === "find") break;
  }
  if (flows !== undefined) follow(shell, flows, command, pipeline);
}

function judgeCall(shell: Shell, words: readonly string[], call: Call, command: Command, pipeline: Pipeline): void {
  if (call.takesInput) takeInput(shell, call, pipeline);
  judgeNamed(shell, words, call, command, pipeline);
  if (words.length === 1) return;
  const given = shell.stored?.programs.get(call.name);
  if (given === undefined && !shell.globs) return;
  for (const name of given === undefined ? namesFor(shell, words[0] ?? "", JUDGED) : [given]) {
    const named = [name, ...words.slice(1)];
    judgeNamed(shell, named, callOf(named, false), command, pipeline);
  }
}

function judgeNamed(shell: Shell, words: readonly string[], call: Call, command: Command, pipeline: Pipeline): void {
  if (shell.removers?.has(call.name) === true) judgeTrees(shell, call, command, pipeline);
  if (shell.stored !== undefined && words[0]?.includes("/") === true) judgeFile(shell, words[0]);
  if (runsText(call.name)) judgeScripts(shell, words, call, command, pipeline);
  if (shell.policy.classifies && shell.isSafe) shell.isSafe = isSafe(call);
  const rules = RULES.get(generic(call.name));
  const table = rulesOf(call.name);
  if (rules === undefined && table === undefined) return;
  shell.spend(WORK_PER_JUDGE + call.args.length * WORK_PER_ARGUMENT);
  for (const judgeBy of rules ?? []) judgeBy(shell, call, command, pipeline);
  if (table !== undefined) judgeByTable(shell, call, table);
}

/** Returns the name that the rules of a program use. All `mkfs.TYPE` programs are judged as `mkfs`. */
function generic(name: string): string {
  return name.startsWith("mkfs") ? "mkfs" : withoutVersion(name);
}

function judgeByTable(shell: Shell, { name, args }: Call, rules: string): void {
  const numbers = candidates(rules, args);
  if (numbers.length === 0) return;
  shell.spend(numbers.length * (WORK_PER_RULE + args.length * WORK_PER_ARGUMENT));
  for (const damage of damagesOf(numbers, name, args)) shell.report(damage, show([name, ...args].join(" ")));
}

function move(shell: Shell, call: Call, { mustWork }: Command): void {
  const to = operandsOf(call)[0] ?? HOME;
  shell.directoriesFor(to).change(to, mustWork);
}

function push(shell: Shell, { args }: Call, { mustWork }: Command): void {
  const to = args.find((arg) => arg !== "-n" && arg !== "--");
  shell.directoriesFor(to ?? "").push(to, mustWork);
}

function pop(shell: Shell, _call: Call, { mustWork }: Command): void {
  shell.directoriesFor("").pop(mustWork);
}

/** Takes the assignments of `env PS4=x bash`. */
function takeAssignment(shell: Shell, word: string): void {
  if (/^\w+(?:%%)?=/.test(word)) shell.takeName(word);
}

/** Sets the words of `"$@"`, as `set -- words` and `set words` do. */
function setParameters(shell: Shell, { name, args }: Call): void {
  if (args.some((arg) => arg === "histexpand" || /^-\w*H/.test(arg)))
    shell.mayRun("a command may come from the history");
  const end = args.indexOf("--");
  if (name !== "set" || (end < 0 && !/^[^-+]/.test(args[0] ?? ""))) return;
  shell.parameters = args.slice(end + 1);
  if (shell.parameters.length > 1) shell.store().lists.push(shell.parameters);
}

/** Drops the first words of `"$@"`. */
function shift(shell: Shell, { args: [count = "1"] }: Call): void {
  shell.parameters = shell.parameters?.slice(Number(count) || 1);
}

function readVariables(shell: Shell, call: Call, { redirections }: Command): void {
  for (const name of operandsOf(call)) shell.takeName(name);
  const text = redirections?.inputs.find((input) => input.text !== undefined)?.text;
  if (text !== undefined) for (const name of operandsOf(call)) shell.assign(name, [text]);
}

function declare(shell: Shell, { args }: Call): void {
  for (const arg of args) {
    assign(shell, arg);
    judgeVariable(shell, arg);
  }
}

/** Judges programs that remove folders without an option. */
function judgeTrees(shell: Shell, call: Call, command: Command, pipeline: Pipeline): void {
  judgeRemoval(shell, { ...call, args: ["-rf", ...call.args] }, command, pipeline);
}

/** Adds the arguments that `xargs` passes to a command: known text, or names below a known place. */
function takeInput(shell: Shell, call: Call, pipeline: Pipeline): void {
  const { data } = pipeline;
  const text = data?.inputs?.map((input) => input.text ?? "").join(" ");
  if (text !== undefined) {
    shell.spend(text.length);
    if (call.name === "") shell.runScript(text);
    else for (const word of text.split(/\s+/)) call.args.push(word);
  } else if (data?.found !== undefined) judgeFound(shell, call, data.found);
}
