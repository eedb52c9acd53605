// Programs that run text: where that text is in sight it is read like the rest, where it came from afar it is refused.

import type { Command, Pipeline } from "../shell/command.ts";
import { FETCHED } from "../shell/marks.ts";
import type { Shell } from "../shell/shell.ts";
import { type Call, has, isCluster, operandsOf } from "./call.ts";

export function judgeEval(shell: Shell, { args }: Call): void {
  shell.runScript(args.join(" "));
}

export function judgeTrap(shell: Shell, { args: [script, signal] }: Call): void {
  if (script !== undefined && signal !== undefined) shell.runScript(script);
}

export function judgeSu(shell: Shell, { args }: Call): void {
  for (const [at, arg] of args.entries()) {
    const next = args[at + 1];
    if (arg.startsWith("--command=")) shell.runScript(arg.slice(10));
    else if (next !== undefined && (arg === "--command" || (isCluster(arg) && arg.endsWith("c")))) {
      shell.runScript(next);
    }
  }
}

export function judgeShell(shell: Shell, call: Call, command: Command, pipeline: Pipeline): void {
  let runsText = false;
  let readsInput = false;
  for (let at = 0; at < call.args.length; at++) {
    const arg = call.args[at] ?? "";
    if (arg.length > 1 && (arg[0] === "-" || arg[0] === "+")) {
      if (arg === "--rcfile" || arg === "--init-file") at += 1;
      if (arg.startsWith("--")) continue;
      runsText ||= arg.includes("c");
      readsInput ||= arg.includes("s");
      if (/[oO]$/.test(arg)) at += 1;
    } else if (runsText) {
      shell.runScript(arg);
      return;
    } else if (arg[0] === FETCHED) {
      shell.deny(`downloaded text is run by ${call.name}`);
    } else if (!readsInput && arg !== "-" && arg !== "/dev/stdin") {
      return;
    } else break;
  }
  if (!runsText && !call.takesInput) judgeInput(shell, call.name, command, pipeline);
}

/** A shell without a script reads commands from its input. */
function judgeInput(shell: Shell, name: string, command: Command, pipeline: Pipeline): void {
  if (pipeline.fetched) shell.deny(`downloaded text is piped to ${name} and runs unseen`);
  const { data } = pipeline;
  if (data?.decoded) shell.ask(`decoded text is piped to ${name} and runs unseen`);
  if (data?.text !== undefined) shell.runScript(data.text);
  const { redirections } = command;
  if (redirections?.hereString !== undefined) shell.runScript(redirections.hereString);
  // Their bodies come after the end of the line, so they are read as commands later.
  for (const document of data?.documents ?? []) document.isScript = true;
  for (const document of redirections?.documents ?? []) document.isScript = true;
}

/** Other languages are not read, but nobody downloads a program without a look and runs it by accident. */
export function judgeInterpreter(shell: Shell, call: Call, _command: Command, pipeline: Pipeline): void {
  if (call.args.some((arg) => arg[0] === FETCHED)) shell.deny(`downloaded text is run by ${call.name}`);
  if (!pipeline.fetched || call.takesInput) return;
  const hasProgram = has(call, "--eval", "c") || has(call, "--eval", "e") || has(call, "--module", "m");
  const [script = "-"] = operandsOf(call);
  if (!hasProgram && script === "-") shell.deny(`downloaded text is piped to ${call.name} and runs unseen`);
}

export function judgeSource(shell: Shell, { args }: Call): void {
  if (args[0]?.[0] === FETCHED) shell.deny("downloaded text is run by the shell");
}
