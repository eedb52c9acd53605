// Sends each command to the rules that know its program.

import { assign, isAssignment } from "../shell/assignments.ts";
import type { Command, Pipeline } from "../shell/command.ts";
import { FETCHED, HOME } from "../shell/marks.ts";
import type { Shell } from "../shell/shell.ts";
import { type Call, operandsOf } from "./call.ts";
import { judgeDd, judgeDiscard, judgeFormat, judgeShred, judgeWipe } from "./disk.ts";
import { judgeFind, judgeFound } from "./find.ts";
import { follow } from "./flow.ts";
import { judgeGit } from "./git.ts";
import { judgeInit, judgePermissions, judgeShutdown, judgeSystemctl } from "./machine.ts";
import { judgeRemoval } from "./removal.ts";
import { judgeEval, judgeInterpreter, judgeShell, judgeSource, judgeSu, judgeTrap } from "./shells.ts";
import { unwrap } from "./unwrap.ts";
import { judgeChange, judgeCopy, judgeMove, judgeRedirections, judgeSed } from "./writes.ts";

const WORK_PER_ARGUMENT = 120;

type Rule = (shell: Shell, call: Call, command: Command, pipeline: Pipeline) => void;

const RULES = new Map<string, readonly Rule[]>();

function rule(programs: string, ...rules: readonly Rule[]): void {
  for (const program of programs.split(" ")) RULES.set(program, rules);
}

rule("rm", judgeRemoval);
rule("find", judgeFind);
rule("git", judgeGit);
rule("cd", move);
rule("pushd", push);
rule("popd", pop);
rule("export declare local readonly typeset", declare);
rule("sh bash zsh dash ash ksh mksh fish rbash", judgeShell);
rule("python python3 python2 perl ruby node php lua", judgeInterpreter);
rule("source .", judgeSource);
rule("eval", judgeEval);
rule("trap", judgeTrap);
rule("su runuser", judgeSu);
rule("dd", judgeDd);
rule("mkfs mke2fs mkswap", judgeFormat);
rule("blkdiscard", judgeDiscard);
rule("wipefs", judgeWipe);
rule("shred", judgeShred, judgeChange);
rule("chmod chown chgrp", judgePermissions, judgeChange);
rule("rmdir tee truncate unlink", judgeChange);
rule("cp install ln rsync", judgeCopy);
rule("mv", judgeMove);
rule("sed", judgeSed);
rule("shutdown reboot halt poweroff", judgeShutdown);
rule("init telinit", judgeInit);
rule("systemctl", judgeSystemctl);
rule(FETCHED, (shell) => shell.deny("downloaded text is run as a command"));

export function judge(shell: Shell, command: Command, pipeline: Pipeline): void {
  const { words, redirections } = command;
  if (redirections !== undefined) judgeRedirections(shell, redirections.writes);
  if (words.every(isAssignment)) {
    for (const word of words) assign(shell.variables, word);
    pipeline.data = undefined;
    if (words.length === 0) return;
    shell.commands += 1;
    shell.printed = undefined;
    return;
  }
  const call = unwrap(words, 0);
  if (call.takesInput) takeInput(shell, call, pipeline);
  // `mkfs.ext4` and its kin are one program.
  const rules = RULES.get(call.name.startsWith("mkfs") ? "mkfs" : call.name);
  if (rules !== undefined) {
    shell.spend(call.args.length * WORK_PER_ARGUMENT);
    for (const judgeBy of rules) judgeBy(shell, call, command, pipeline);
  }
  follow(shell, call, command, pipeline);
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

function declare(shell: Shell, { args }: Call): void {
  for (const arg of args) assign(shell.variables, arg);
}

/** What `xargs` adds to a command: text that is known, or names below a place that is known. */
function takeInput(shell: Shell, call: Call, pipeline: Pipeline): void {
  const { data } = pipeline;
  if (data?.text !== undefined) {
    shell.spend(data.text.length);
    for (const word of data.text.split(" ")) call.args.push(word.trim());
  } else if (data?.found !== undefined) judgeFound(shell, call, data.found);
}
