// Finds the programs in the arguments and the input of interpreters: `python -c`, `perl -ne`, `node - <<E`, `awk '…'`.

import type { Command, Input, Pipeline } from "../../../src/shell/command.ts";
import { FETCHED } from "../../../src/shell/marks.ts";
import { baseName } from "../../../src/shell/programs.ts";
import { isInput } from "../../../src/shell/scripts.ts";
import type { Call } from "../rules/call.ts";
import { judgeChange } from "../rules/writes.ts";
import type { Shell } from "../shell.ts";
import { withoutEscapes } from "./escapes.ts";
import type { LanguageName } from "./languages.ts";
import { judgeProgram } from "./program.ts";

interface Interpreter {
  readonly language: LanguageName;
  /** Short options whose value is code. */
  readonly code: string;
  /** Short options whose value is the rest of the cluster or, in `next`, the next word. */
  readonly rest: string;
  readonly next: string;
  /** The word in front of code, or `operand` if the first word is code. */
  readonly verb?: string;
}

const INTERPRETERS = new Map<string, Interpreter>();

function interpreter(names: string, language: LanguageName, code: string, rest: string, next: string, verb = ""): void {
  for (const name of names.split(" ")) INTERPRETERS.set(name, { language, code, rest, next, verb });
}

interpreter("python pypy", "python", "c", "WXQm", "WXQm");
interpreter("node nodejs tsx ts-node bun", "js", "ep", "rC", "rC");
interpreter("deno", "js", "", "", "", "eval");
interpreter("ruby jruby", "ruby", "e", "rIEFTix0KWCX", "rIEC");
interpreter("perl", "perl", "eE", "IMmFil0xCDV", "I");
interpreter("php", "php", "rBRE", "cdzf", "cdzf");
interpreter("lua luajit", "lua", "e", "l", "l");
interpreter("awk gawk mawk nawk", "awk", "", "vFf", "vFf", "operand");
interpreter("rscript r", "r", "e", "", "");
interpreter("julia", "julia", "eE", "JCLptO", "JCLpt");
interpreter("elixir", "elixir", "e", "rS", "rS");

/** The names of the interpreters, without versions. */
export const INTERPRETER_NAMES: string = [...INTERPRETERS.keys(), "osascript"].join(" ");

const VERSION = /^(python|pypy|ruby|perl|php|lua|node)[\d.]+$/;

/** Returns the name of an interpreter without its version: `python` for `python3.12`. */
export function withoutVersion(name: string): string {
  // Nearly all names end in a letter, and a pattern costs ten times as much.
  const last = name.charCodeAt(name.length - 1);
  return last >= 48 && last <= 57 ? (VERSION.exec(name)?.[1] ?? name) : name;
}

const LONG = /^--(?:eval|print|execute|command|source|run)(?:=([\s\S]*))?$/;
/** Matches text for a shell, which is a mistake in a program. */
const MAX_SHELL_TEXT = 80;
const SHELL_TEXT = /^\s*(?:sudo\s+)?[a-z][\w.-]*\s+-{1,2}[a-zA-Z]/;

interface Invocation {
  readonly codes: string[];
  /** The arguments of the program. */
  args: string[];
  /** The file with the program, `-` for standard input. */
  file: string | undefined;
  readonly variables: (readonly [string, string])[];
  editsInPlace: boolean;
}

function invocationOf({ language, code, rest, next, verb }: Interpreter, words: readonly string[]): Invocation {
  const found: Invocation = { codes: [], args: [], file: undefined, variables: [], editsInPlace: false };
  let at = 0;
  if (verb === "eval" && words[0] !== "eval") return { ...found, file: "" };
  for (at = verb === "eval" ? 1 : 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      at += 1;
      break;
    }
    if (word[0] !== "-" || word === "-") break;
    const long = LONG.exec(word);
    if (long !== null && code !== "") {
      found.codes.push(long[1] ?? words[++at] ?? "");
      continue;
    }
    if (word[1] === "-") continue;
    for (let letter = 1; letter < word.length; letter++) {
      const option = word.charAt(letter);
      if (option === "i" && (language === "perl" || language === "ruby")) found.editsInPlace = true;
      if (code.includes(option)) {
        // `-pe` of node is one option.
        const own = word.slice(letter + (word.startsWith("pe", letter) ? 2 : 1));
        found.codes.push(own === "" ? (words[++at] ?? "") : own);
        if (language === "python") return { ...found, args: words.slice(at + 1) };
        break;
      }
      if (!rest.includes(option)) continue;
      const value =
        word.length > letter + 1 ? word.slice(letter + 1) : next.includes(option) ? (words[++at] ?? "") : "";
      if (option === "m" && language === "python") return { ...found, file: "" };
      if (option === "f") found.file = value;
      const [, name, text] = (option === "v" && /^(\w+)=([\s\S]*)$/.exec(value)) || [];
      if (name !== undefined) found.variables.push([name, withoutEscapes(text ?? "")]);
      break;
    }
  }
  const operands = words.slice(at);
  if (verb !== "" && found.file === undefined && operands[0] !== undefined) found.codes.push(operands.shift() ?? "");
  else if (found.codes.length === 0) found.file ??= operands.shift() ?? "-";
  found.args = operands;
  return found;
}

/** Judges the program of an interpreter, and denies a program that was downloaded. */
export function judgeInterpreter(shell: Shell, call: Call, { redirections }: Command, pipeline: Pipeline): void {
  if (call.args.some((arg) => arg[0] === FETCHED)) shell.denyDownload(`downloaded text is run by ${call.name}`);
  if (call.name === "osascript") {
    for (const arg of call.args) judgeAppleScript(shell, arg);
    return;
  }
  const known = INTERPRETERS.get(withoutVersion(call.name));
  if (known === undefined) return;
  const found = invocationOf(known, call.args);
  const judge = (text: string): void => judgeProgram(shell, known.language, text, found.args, found.variables);
  for (const code of found.codes) {
    if (SHELL_TEXT.test(code.slice(0, MAX_SHELL_TEXT))) shell.runScript(code);
    judge(code);
  }
  if (found.editsInPlace) judgeChange(shell, { ...call, args: found.args });
  const { file } = found;
  if (file === undefined || file === "" || call.takesInput) return;
  if (file !== "-" && !isInput(file)) {
    shell.stored?.takeContent(baseName(file), judge);
    return;
  }
  const own = redirections?.inputs ?? [];
  if (own.length === 0 && pipeline.fetched)
    shell.denyDownload(`downloaded text is piped to ${call.name} and runs unseen`);
  judgeInputs(own.length > 0 ? own : (pipeline.data?.inputs ?? []), judge);
}

const SHEBANG = /^#!\s*\S*\/(?:env\s+(?:-S\s+)?)?([\w.]+)/;

/** Judges a file that the text has written and now runs as a program. */
export function judgeFile(shell: Shell, path: string): void {
  shell.stored?.takeContent(baseName(path), (content) => {
    const [, name = "sh"] = SHEBANG.exec(content.slice(0, MAX_SHELL_TEXT)) ?? [];
    const known = INTERPRETERS.get(withoutVersion(name));
    if (known === undefined) shell.runScript(content);
    else judgeProgram(shell, known.language, content, []);
  });
}

function judgeInputs(inputs: readonly Input[], judge: (text: string) => void): void {
  for (const { text, document } of inputs) {
    if (text !== undefined) judge(text);
    if (document !== undefined) document.takeBody = judge;
  }
}

/** Judges the commands of an AppleScript. */
function judgeAppleScript(shell: Shell, text: string): void {
  for (const [, command = ""] of text.matchAll(/do shell script\s+"((?:[^"\\]|\\.)*)"/g))
    shell.runScript(withoutEscapes(command));
}
