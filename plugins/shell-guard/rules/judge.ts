// Sends each command to the rule that knows its program.

import { changeDirectory } from "../paths/directory";
import { Command, Pipeline } from "../shell/command";
import { FETCHED, HOME } from "../shell/marks";
import { enter, leave } from "../shell/scanner";
import { assign, assignmentValue, variableName } from "../shell/variables";
import { spend } from "../text";
import { deny, giveUp } from "../verdict";
import { Call } from "./call";
import { judgeDisk } from "./disk";
import { noteCommand } from "./effects";
import { judgeFind, judgeFound } from "./find";
import { follow } from "./flow";
import { judgeGit } from "./git";
import { judgePermissions } from "./permissions";
import { judgePower } from "./power";
import { judgeRemoval } from "./removal";
import { judgeInterpreter, judgeShell, judgeSource } from "./shells";
import { unwrap } from "./unwrap";
import { judgeRedirections, judgeWriter } from "./writes";
import { isOneOf, same } from "../units";

const WORK_PER_COMMAND: i32 = 64;

// Their arguments are assignments.
const DECLARERS: StaticArray<string> = ["export", "declare", "local", "readonly", "typeset"];

export function judge(command: Command, pipeline: Pipeline): void {
  spend(WORK_PER_COMMAND);
  judgeRedirections(command);
  const words = command.words;
  const first = assignAll(words);
  if (first === words.length) {
    pipeline.next();
    if (first > 0) noteCommand(null);
    return;
  }
  const call = unwrap(words, first);
  if (call.takesInput) takeInput(call, pipeline);
  judgeShell(call, command, pipeline);
  judgeInterpreter(call, pipeline);
  judgeCall(call, command.mustWork);
  follow(call, command, pipeline);
}

/** Judges a program by its arguments alone. */
function judgeCall(call: Call, mustWork: bool): void {
  if (!enter()) return giveUp("nested too deeply");
  const name = call.name;
  if (name.length === 1 && name.charCodeAt(0) === FETCHED) deny("downloaded text is run as a command");
  else if (same(name, "rm")) judgeRemoval(call);
  else if (same(name, "find")) judgeFind(call);
  else if (same(name, "git")) judgeGit(call);
  else if (same(name, "cd") || same(name, "pushd")) move(call, mustWork);
  else if (same(name, "source") || same(name, ".")) judgeSource(call);
  else if (isOneOf(DECLARERS, name)) {
    for (let i = 0; i < call.args.length; i++) assignOne(call.args[i]);
  } else {
    judgeDisk(call);
    judgePermissions(call);
    judgePower(call);
  }
  judgeWriter(call);
  leave();
}

/** Keeps assignments that stand alone; gives the place of the first word that is none. */
function assignAll(words: Array<string>): i32 {
  let first = 0;
  while (first < words.length && assignmentValue(words[first]) > 0) first++;
  if (first === words.length) for (let i = 0; i < first; i++) assignOne(words[i]);
  return first;
}

function assignOne(word: string): void {
  const value = assignmentValue(word);
  if (value > 0) assign(variableName(word), [word.slice(value)]);
}

function move(call: Call, mustWork: bool): void {
  const to = call.operands();
  changeDirectory(to.length > 0 ? to[0] : String.fromCharCode(HOME), mustWork);
}

/** What `xargs` adds to a command: text that is known, or names below a place that is known. */
function takeInput(call: Call, pipeline: Pipeline): void {
  const text = pipeline.text;
  if (text !== null) {
    const more = text.split(" ");
    for (let i = 0; i < more.length; i++) call.args.push(more[i].trim());
  } else if (pipeline.roots.length > 0) {
    judgeFound(call, pipeline.roots, pipeline.filtered);
  }
}
