// The data that one command passes to the next command, or to the words around a substitution.

import type { Command, Data, Pipeline } from "../../../src/shell/command.ts";
import { GIVEN, HERE } from "../../../src/shell/marks.ts";
import { baseName, programName } from "../../../src/shell/programs.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";
import { readSearch } from "./find.ts";

/** Returns the data that a command passes on. Also sets what the command prints, if its words show that. */
type Flow = (shell: Shell, call: Call, command: Command) => Data | undefined;

const FLOWS: ReadonlyMap<string, Flow> = new Map<string, Flow>([
  ["echo", print],
  ["printf", print],
  ["pwd", (shell) => prints(shell, HERE)],
  ["mktemp", (shell) => prints(shell, GIVEN)],
  ["git", (shell, { args }) => (args.includes("--show-toplevel") ? prints(shell, HERE) : undefined)],
  ["which", lastOperand],
  ["command", lastOperand],
  ["realpath", lastOperand],
  ["readlink", lastOperand],
  ["cat", copy],
  ["curl", download],
  ["wget", download],
  ["base64", decode],
  ["base32", decode],
  ["find", list],
  ["cp", rename],
  ["ln", rename],
  ["mv", rename],
  ["install", rename],
  ["tee", write],
]);

export function follow(shell: Shell, call: Call, command: Command, pipeline: Pipeline): void {
  const flow = FLOWS.get(call.name);
  shell.commands += 1;
  shell.printed = undefined;
  pipeline.data = flow?.(shell, call, command);
}

export function isFlow(name: string): boolean {
  return FLOWS.has(name);
}

function prints(shell: Shell, text: string | undefined): undefined {
  shell.printed = text;
}

function print(shell: Shell, { name, args }: Call): Data {
  let first = 0;
  let escapes = name === "printf";
  for (; args[first]?.[0] === "-"; first++) escapes ||= args[first]?.includes("e") === true;
  // The format itself does not matter, only the inserted values.
  if (name === "printf" && args[first]?.includes("%")) first += 1;
  if (name === "printf" && args[0] === "-v") shell.assign(args[1] ?? "", args.slice(2));
  const text = args.slice(first).join(" ");
  const unescaped = escapes ? text.replaceAll("\\n", "\n") : text;
  prints(shell, unescaped);
  return { inputs: [{ descriptor: "", text: unescaped }] };
}

function lastOperand(shell: Shell, { args }: Call): undefined {
  return prints(shell, args.at(-1));
}

function copy(_shell: Shell, call: Call, { redirections }: Command): Data | undefined {
  if (redirections === undefined || operandsOf(call).length > 0) return undefined;
  return { inputs: redirections.inputs };
}

function download(shell: Shell): undefined {
  shell.downloads += 1;
}

function decode(_shell: Shell, call: Call): Data {
  return { decoded: has(call, "--decode", "d") || has(call, "--decode", "D") };
}

/** Records that a program gets another name, or that a file gets the text of another. */
function rename(shell: Shell, call: Call): undefined {
  const operands = operandsOf(call);
  const target = baseName(operands.at(-1) ?? "");
  for (const source of operands.slice(0, -1)) {
    shell.store().programs.set(target.toLowerCase(), programName(source));
    if (shell.stored?.written.has(baseName(source))) shell.store().written.add(target);
  }
}

/** Passes the input on, and writes it to files. */
function write(shell: Shell, call: Call): undefined {
  for (const file of operandsOf(call)) shell.store().written.add(baseName(file));
}

function list(shell: Shell, { args }: Call): Data {
  return { found: readSearch(shell, args) };
}
