// Finds the files that a shell command reads, writes, moves or deletes, if its text shows them.

import type { Action } from "hookbox/guest";
import { assign } from "../../src/shell/assignments.ts";
import { type Command, newCommand, newPipeline, type Pipeline } from "../../src/shell/command.ts";
import { runsOf, wordsOf } from "../../src/shell/inner-commands.ts";
import { HOME, withoutMarks } from "../../src/shell/marks.ts";
import { runsText } from "../../src/shell/scripts.ts";
import { Directories } from "../shell-guard/paths/directory.ts";
import { type Path, resolve } from "../shell-guard/paths/path.ts";
import { Protected, withHome } from "../shell-guard/paths/protected.ts";
import { type Call, callOf, fromName, operandsOf } from "../shell-guard/rules/call.ts";
import { follow } from "../shell-guard/rules/flow.ts";
import { Policy } from "../shell-guard/rules/policy.ts";
import { judgeScripts } from "../shell-guard/rules/shells.ts";
import { Finding, Shell } from "../shell-guard/shell.ts";
import { CODE, filesOfCall } from "./programs.ts";

export type Use = "read" | "write" | "delete" | "move";

/** Thrown by a visitor to refuse the command. In a text that may be data, the refusal is a reason to ask. */
export class Refusal extends Finding {
  constructor(reason: string) {
    super("deny", reason);
  }
}

/** Takes what a command does. */
export interface Visitor {
  file(use: Use, path: Path, word: string): void;
  /** Takes each command, without the programs that only run it. `words` starts with the name. */
  call?(call: Call, words: readonly string[]): void;
  /** Takes a variable that the command sets. */
  variable?(name: string): void;
  /** Takes a program in another language, with the texts in its quotes. */
  code?(text: string): void;
}

const MAX_LENGTH = 65_536;

/** Reads a command. Returns why a part of the command cannot be read, if so. */
export function visitCommand(
  { command, directory, shell: kind }: Extract<Action, { kind: "command" }>,
  cwd: string,
  visitor: Visitor,
): string | undefined {
  const length = typeof command === "string" ? command.length : command.join(" ").length;
  if (length > MAX_LENGTH) return "the command is too long";
  const directories = new Directories(cwd);
  if (directory !== undefined && directory !== cwd) directories.change(withHome(withoutMarks(directory)), true);
  const shell = new FileShell(directories, length, visitor);
  try {
    if (typeof command === "string") shell.judgeText(withoutMarks(command));
    else shell.take(newCommand(command.map(withoutMarks)), newPipeline());
  } catch (finding) {
    if (!(finding instanceof Finding) || finding instanceof Refusal) throw finding;
    return kind === undefined ? finding.reason : undefined;
  }
  return kind === undefined ? shell.asked : undefined;
}

/** Returns the path of a file that a tool names. Windows accepts both slashes. */
export function pathOf(text: string, cwd: string): Path {
  const slashed = withoutMarks(text)
    .replaceAll("\\", "/")
    .replace(/^[A-Za-z]:(?=\/)/, "");
  return resolve(new Directories(cwd).working, withHome(slashed));
}

class FileShell extends Shell {
  readonly #visitor: Visitor;
  #runsCode = false;

  constructor(directories: Directories, characters: number, visitor: Visitor) {
    const visit = (_: Shell, command: Command, pipeline: Pipeline): void => this.#visit(command, pipeline);
    super(new Protected(directories, []), new Policy("guarded", {}), characters, visit);
    this.#visitor = visitor;
  }

  override assign(name: string, values: readonly string[]): void {
    this.#visitor.variable?.(name);
    super.assign(name, values);
  }

  override takeDocument(body: string): void {
    super.takeDocument(body);
    if (this.#runsCode) this.#visitor.code?.(body);
  }

  #file(use: Use, word: string): void {
    if (word === "") return;
    this.spendOnPath(word);
    const { now, current } = this.places.directories;
    this.#visitor.file(use, resolve(now, word), word);
    if (current?.before !== undefined) this.#visitor.file(use, resolve(current.before, word), word);
  }

  #visit(command: Command, pipeline: Pipeline): void {
    const { words, redirections } = command;
    for (const target of redirections?.writes ?? []) this.#file("write", target);
    for (const { file } of redirections?.inputs ?? []) if (file !== undefined) this.#file("read", file);
    this.spend(words.length * 100);
    const own = fromName(words);
    for (const word of words.slice(0, words.length - own.length)) assign(this, word);
    if (own.length === 0) {
      pipeline.data = undefined;
      this.commands += words.length === 0 ? 0 : 1;
      this.printed = undefined;
      return;
    }
    const runs = runsOf(own);
    if (runs === undefined) this.doubt("too many commands wrap each other");
    for (const run of runs ?? []) {
      const inner = wordsOf(own, run);
      const call = callOf(inner, run.isOpen);
      if (call.takesInput) takeInput(call, pipeline);
      this.#visitCall(call, inner, command, pipeline);
    }
    follow(this, callOf(own, false), command, pipeline);
  }

  #visitCall(call: Call, words: readonly string[], command: Command, pipeline: Pipeline): void {
    const { name, args } = call;
    if (runsText(name)) judgeScripts(this, words, call, command, pipeline);
    this.spend(args.length * 100);
    this.#visitor.call?.(call, words);
    if (name === "cd" || name === "pushd") {
      const to = operandsOf(call)[0] ?? HOME;
      this.directoriesFor(to).change(to, command.mustWork);
    } else if (name === "export" || name === "declare" || name === "unset" || name === "env") {
      for (const arg of args) {
        const [variable = ""] = arg.split("=", 1);
        if (/^\w+$/.test(variable)) this.#visitor.variable?.(variable);
        if (name !== "unset" && name !== "env") assign(this, arg);
      }
    } else if (CODE.has(name)) {
      this.#runsCode = true;
      const at = args.findIndex((arg) => /^-\w*[ce]$|^--eval$|^-r$|^-p$/.test(arg));
      if (at >= 0) this.#visitor.code?.(args[at + 1] ?? "");
      for (const { text } of command.redirections?.inputs ?? []) if (text !== undefined) this.#visitor.code?.(text);
      for (const { text } of pipeline.data?.inputs ?? []) if (text !== undefined) this.#visitor.code?.(text);
    }
    for (const [use, word] of filesOfCall(call)) this.#file(use, word);
  }
}

/** Adds the arguments that `xargs` passes, if the text shows them. */
function takeInput(call: Call, { data }: Pipeline): void {
  for (const { text } of data?.inputs ?? []) call.args.push(...(text ?? "").split(/\s+/).filter((word) => word !== ""));
}

/** Returns the texts in quotes of a program in another language. */
export function textsInCode(code: string): readonly string[] {
  return [...code.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.){1,300})\1/g)].map(([, , text = ""]) => text);
}
