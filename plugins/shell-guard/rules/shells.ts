// Programs that run text: where that text is in sight it is read like the rest, where it came from afar it is refused.

import { DASH, PLUS } from "../chars";
import { Command, Pipeline } from "../shell/command";
import { Heredoc } from "../shell/heredoc";
import { FETCHED } from "../shell/marks";
import { runScript } from "../shell/parser";
import { joined } from "../text";
import { ask, deny } from "../verdict";
import { Call, hasUnit, isCluster } from "./call";
import { isOneOf, same, startsWith } from "../units";

const SHELLS: StaticArray<string> = ["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "rbash"];
const INTERPRETERS: StaticArray<string> = ["python", "python3", "python2", "perl", "ruby", "node", "php", "lua"];

export function judgeShell(call: Call, command: Command, pipeline: Pipeline): void {
  if (same(call.name, "eval")) runScript(joined(call.args, 0));
  else if (same(call.name, "trap") && call.args.length > 1) runScript(call.args[0]);
  else if (same(call.name, "su")) judgeSu(call);
  else if (isOneOf(SHELLS, call.name)) judgeOptions(call, command, pipeline);
}

function judgeOptions(call: Call, command: Command, pipeline: Pipeline): void {
  let runsText = false;
  let readsInput = false;
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i];
    const first = arg.charCodeAt(0);
    if (arg.length > 1 && (first === DASH || first === PLUS)) {
      if (same(arg, "--rcfile") || same(arg, "--init-file")) i++;
      if (startsWith(arg, "--")) continue;
      runsText = runsText || hasUnit(arg, 0x63);
      readsInput = readsInput || hasUnit(arg, 0x73);
      if (arg.endsWith("o") || arg.endsWith("O")) i++;
    } else if (runsText) {
      return runScript(arg);
    } else if (first === FETCHED) {
      return deny(`downloaded text is run by ${call.name}`);
    } else if (!readsInput && !same(arg, "-") && !same(arg, "/dev/stdin")) {
      return;
    } else break;
  }
  if (!runsText && !call.takesInput) judgeInput(call.name, command, pipeline);
}

/** A shell without a script reads commands from its input. */
function judgeInput(name: string, command: Command, pipeline: Pipeline): void {
  if (pipeline.fetched) return deny(`downloaded text is piped to ${name} and runs unseen`);
  if (pipeline.decoded) ask(`decoded text is piped to ${name} and runs unseen`);
  const piped = pipeline.text;
  if (piped !== null) runScript(piped);
  const given = command.hereString;
  if (given !== null) runScript(given);
  markScripts(pipeline.documents);
  markScripts(command.documents);
}

// Their bodies come after the end of the line, so they are read as commands later.
function markScripts(documents: Array<Heredoc>): void {
  for (let i = 0; i < documents.length; i++) documents[i].isScript = true;
}

function judgeSu(call: Call): void {
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i];
    if (startsWith(arg, "--command=")) runScript(arg.slice(10));
    else if ((same(arg, "--command") || (isCluster(arg) && arg.endsWith("c"))) && i + 1 < call.args.length) {
      runScript(call.args[i + 1]);
    }
  }
}

/** Other languages are not read, but nobody downloads a program without a look and runs it by accident. */
export function judgeInterpreter(call: Call, pipeline: Pipeline): void {
  if (!isOneOf(INTERPRETERS, call.name)) return;
  const operands = call.operands();
  for (let i = 0; i < call.args.length; i++) {
    if (call.args[i].charCodeAt(0) === FETCHED) return deny(`downloaded text is run by ${call.name}`);
  }
  const hasProgram = call.has("--eval", 0x63) || call.has("--eval", 0x65) || call.has("--module", 0x6d);
  if (pipeline.fetched && !hasProgram && !call.takesInput && (operands.length === 0 || same(operands[0], "-"))) {
    deny(`downloaded text is piped to ${call.name} and runs unseen`);
  }
}

export function judgeSource(call: Call): void {
  if (call.args.length > 0 && call.args[0].charCodeAt(0) === FETCHED) deny("downloaded text is run by the shell");
}
