// shell-guard: denies shell commands that destroy what cannot be brought back, and writes to paths that are protected.

import "./abort";
import { readInput, writeError } from "./host";
import { isList, isText, textOf, textsOf } from "./json";
import { isJson, skipBlank, skipString } from "./json-check";
import { forgetMembers, memberOf } from "./members";
import { startIn } from "./paths/directory";
import { CONFIGURED, hasConfiguredPaths, ONTO, protection, protectPaths, show, withHome } from "./paths/protected";
import { reply } from "./reply";
import { resetEffects } from "./rules/effects";
import { resetHistory } from "./rules/git";
import { judge } from "./rules/judge";
import { protectedPaths } from "./settings";
import { Command, Pipeline } from "./shell/command";
import { resetGroups } from "./shell/groups";
import { runScript } from "./shell/parser";
import { resetNesting } from "./shell/scanner";
import { forgetVariables } from "./shell/variables";
import { emptyText } from "./text";
import { isOneOf, same } from "./units";
import { ask, deny, giveUp, noVerdict } from "./verdict";

const SHELL_TOOLS: StaticArray<string> = ["Bash", "bash", "run_shell_command", "shell", "exec"];
const FILE_TOOLS: StaticArray<string> = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
const MAX_COMMAND_BYTES: usize = 64 << 10;

const ANSWERED: i32 = 0;
const FAILED: i32 = 1;

export function handle(): i32 {
  reset();
  const input = readInput();
  const end = input.end;
  const event = skipBlank(input.start, end);
  if (!isJson(event, end) || load<u8>(event) !== 0x7b) return fail("the event is not a JSON object");

  const eventName = textMember(event, end, "hook_event_name");
  const toolName = textMember(event, end, "tool_name");
  if (same(eventName, "PreToolUse") || same(eventName, "PermissionRequest")) {
    const isShell = isOneOf(SHELL_TOOLS, toolName);
    if (isShell || isOneOf(FILE_TOOLS, toolName)) {
      startIn(textMember(event, end, "cwd"));
      const paths = protectedPaths();
      if (paths === null) return fail("config: protectedPaths must be a list of strings");
      protectPaths(paths);
      const toolInput = memberOf(event, "tool_input");
      if (isShell) judgeShellCall(toolInput, end);
      else judgeFileCall(toolInput, end);
    }
  }
  reply(eventName);
  return ANSWERED;
}

/** An instance may be used again, so nothing of the last call may be left. */
function reset(): void {
  // @ts-ignore: of the runtime, see arena.ts
  __reset();
  emptyText();
  forgetMembers();
  noVerdict();
  resetNesting();
  resetGroups();
  resetEffects();
  resetHistory();
  forgetVariables();
}

function judgeShellCall(toolInput: usize, end: usize): void {
  const command = memberOf(toolInput, "command");
  if (command === 0) return;
  if (isText(command)) {
    if (skipString(command, end) - command > MAX_COMMAND_BYTES) giveUp("it is too long");
    else runScript(textOf(command, end));
    return;
  }
  // Some agents send a list of arguments, which no shell reads again.
  const words = isList(command) ? textsOf(command, end) : null;
  if (words === null) return ask("this command could not be checked: it is not text");
  const direct = new Command();
  direct.words = words;
  judge(direct, new Pipeline());
}

function judgeFileCall(toolInput: usize, end: usize): void {
  if (!hasConfiguredPaths()) return;
  judgeFile(memberOf(toolInput, "file_path"), end);
  judgeFile(memberOf(toolInput, "notebook_path"), end);
}

function judgeFile(path: usize, end: usize): void {
  if (path === 0) return;
  if (!isText(path)) return ask("this path could not be checked: it is not text");
  const text = textOf(path, end);
  if (protection(withHome(text), CONFIGURED | ONTO) !== null) deny(`writing to a protected path: ${show(text)}`);
}

function textMember(object: usize, end: usize, key: string): string {
  const value = memberOf(object, key);
  return isText(value) ? textOf(value, end) : "";
}

function fail(why: string): i32 {
  writeError(why);
  return FAILED;
}
