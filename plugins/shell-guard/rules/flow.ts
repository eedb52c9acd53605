// The data that one command passes to the next command, or to the words around a substitution.

import type { Command, Data, Pipeline } from "../../../src/shell/command.ts";
import { GIVEN, HERE, isOpen } from "../../../src/shell/marks.ts";
import { baseName, programName } from "../../../src/shell/programs.ts";
import { decode, type Encoding } from "../code/decoders.ts";
import { withoutEscapes } from "../code/escapes.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";
import { readSearch } from "./find.ts";

/** Returns the data that a command passes on. Also sets what the command prints, if its words show that. */
type Flow = (shell: Shell, call: Call, command: Command, pipeline: Pipeline) => Data | undefined;

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
  ["base64", decodes("base64", isDecoding)],
  ["base32", decodes("base32", isDecoding)],
  ["xxd", decodes("hex", isDecoding)],
  ["rev", decodes("reverse", () => true)],
  ["sed", changes],
  ["cut", changes],
  ["awk", changes],
  ["tr", decodes("rot13", ({ args }) => ROT13.test(args.join(" ")), 2)],
  ["openssl", decodes("base64", ({ args }) => args.includes("-d"), 9)],
  ["basenc", decodes("base64", ({ args }) => args.includes("-d") && args.includes("--base64"))],
  ["gunzip", () => ({ decoded: true })],
  ["zcat", () => ({ decoded: true })],
  ["gzip", (_shell, call) => ({ decoded: has(call, "--decompress", "d") })],
  ["gpg", (_shell, call) => ({ decoded: has(call, "--decrypt", "d") })],
  ["uudecode", () => ({ decoded: true })],
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
  pipeline.data = flow?.(shell, call, command, pipeline);
  if (command.redirections !== undefined)
    keepContents(shell, command.redirections.writes, pipeline.data ?? command.redirections);
}

/** Records the known text that a command writes to files, because a later command may run it. */
function keepContents(shell: Shell, files: readonly string[], { inputs }: Data): void {
  for (const { text, document } of inputs ?? []) {
    for (const file of files) {
      const name = baseName(file);
      if (text !== undefined) shell.store().keepContent(name, text);
      if (document === undefined) continue;
      shell.store().keepContent(name, document);
      const { takeBody } = document;
      document.takeBody = (body) => {
        takeBody?.(body);
        shell.store().keepContent(name, body);
      };
    }
  }
}

export function isFlow(name: string): boolean {
  return FLOWS.has(name);
}

function prints(shell: Shell, text: string | undefined): undefined {
  shell.printed = text;
}

/** Options of echo, and the end of the options of printf. */
const OPTION = /^-(?:-|[neE]{1,3})$/;

function print(shell: Shell, { name, args }: Call): Data {
  let first = 0;
  let escapes = name === "printf";
  for (; OPTION.test(args[first] ?? ""); first++) escapes ||= args[first]?.includes("e") === true;
  const format = name === "printf" ? args[first++] : undefined;
  if (name === "printf" && args[0] === "-v") {
    shell.assign(args[1] ?? "", [withoutEscapes(filledBy(args[2] ?? "", args.slice(3)))]);
    return {};
  }
  const text = format === undefined ? args.slice(first).join(" ") : filledBy(format, args.slice(first));
  const unescaped = escapes ? withoutEscapes(text) : text;
  prints(shell, unescaped);
  return { inputs: [{ descriptor: "", text: unescaped }] };
}

/** Returns the output of `printf`, which uses the format again until all values are used. */
function filledBy(format: string, values: readonly string[]): string {
  if (!format.includes("%")) return format;
  const rest = [...values];
  let output = "";
  do {
    const { length } = rest;
    output += format.replace(/%(?:(%)|[-\d.]*[a-zA-Z])/g, (_, sign) => sign ?? rest.shift() ?? "");
    if (rest.length === length) break;
  } while (rest.length > 0);
  return output;
}

function lastOperand(shell: Shell, { args }: Call): undefined {
  return prints(shell, args.at(-1));
}

/** Returns the input of a command that reads no file: its own input, or the data of the command before. */
function inputOf({ redirections }: Command, pipeline: Pipeline): Data | undefined {
  return redirections !== undefined && redirections.inputs.length > 0 ? { inputs: redirections.inputs } : pipeline.data;
}

function copy(_shell: Shell, call: Call, command: Command, pipeline: Pipeline): Data | undefined {
  return operandsOf(call).length > 0 ? undefined : inputOf(command, pipeline);
}

function download(shell: Shell): undefined {
  shell.downloads += 1;
}

/** Decodes a known text. A text that is not known is marked, because nothing can be said of it. */
function decodes(encoding: Encoding, isDecoding: (call: Call) => boolean, words = 0): Flow {
  return (shell, call, command, pipeline) => {
    const data = inputOf(command, pipeline);
    if (!isDecoding(call)) return words > 0 ? changes(shell, call, command, pipeline) : undefined;
    const [text] = operandsOf(call).length > words ? [] : (data?.inputs ?? []);
    const decoded = text?.text === undefined || isOpen(text.text) ? undefined : decode(encoding, text.text.trim());
    if (decoded === undefined) return { decoded: true };
    prints(shell, decoded);
    // The text is the output of one command, although two commands make it.
    if (data === pipeline.data) shell.commands -= 1;
    return { inputs: [{ descriptor: "", text: decoded }] };
  };
}

/** Marks a known text that a filter changes, because the result is not known. */
function changes(_shell: Shell, _call: Call, command: Command, pipeline: Pipeline): Data {
  const texts = inputOf(command, pipeline)?.inputs ?? [];
  return { decoded: texts.some(({ text }) => text !== undefined) };
}

function isDecoding(call: Call): boolean {
  return has(call, "--decode", "d") || has(call, "--decode", "D") || call.args.includes("-r");
}

const ROT13 = /^\[?A-Za-z\]? \[?N-ZA-Mn-za-m\]?$|^a-zA-Z n-za-mN-ZA-M$|^a-z n-za-m$/;

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
function write(shell: Shell, call: Call, { redirections }: Command, { data }: Pipeline): Data {
  const files = operandsOf(call);
  for (const file of files) shell.store().written.add(baseName(file));
  const passed = data ?? { inputs: redirections?.inputs ?? [] };
  keepContents(shell, files, passed);
  return passed;
}

function list(shell: Shell, { args }: Call): Data {
  return { found: readSearch(shell, args) };
}
