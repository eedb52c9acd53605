import type { JsonObject, JsonValue } from "../../event.ts";

/**
 * `run_command` may have a program in `command` and its arguments in `args`. A guard judges one line, so that it never sees
 * less than what runs: canonically `command` is the whole line, and `args` stays beside it for the way back.
 */
export function wholeLine(input: JsonObject): JsonObject {
  const { command } = input;
  const parts = argumentsOf(input);
  return typeof command === "string" && parts !== undefined ? { ...input, command: lineOf(command, parts) } : input;
}

/** The way back. A line that does not end in the arguments has been rewritten: it is all that is to run. */
export function separateLine(input: JsonObject): JsonObject {
  const { command } = input;
  const parts = argumentsOf(input);
  if (typeof command !== "string" || parts === undefined) return input;
  const original = commandBefore(command, parts);
  return original === undefined ? { ...input, args: [] } : { ...input, command: original };
}

interface Arguments {
  readonly quoted: string;
  readonly bare: string;
  readonly askedForShell: boolean;
}

/** `undefined` where there are none: nothing but a list makes any. A shell may be asked for by its name. */
function argumentsOf({ args, shell }: JsonObject): Arguments | undefined {
  if (!Array.isArray(args) || args.length === 0) return undefined;
  const texts = args.map((one: JsonValue) => textOf(one));
  return { quoted: texts.map(quote).join(" "), bare: texts.join(" "), askedForShell: Boolean(shell) };
}

/** What a program that is started with the value gets to see. */
function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((one: JsonValue) => (one === null ? "" : textOf(one))).join(",");
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}

/** Whoever starts such a command lets a shell read it, and with it perhaps its arguments. */
const NEEDS_SHELL = /[|><;&`$*?\n]/;

/**
 * Arguments are literal, as far as is known. Where a shell may come to read them after all, the line as it would read
 * it follows on a line of its own: either may be what runs.
 */
function lineOf(command: string, { quoted, bare, askedForShell }: Arguments): string {
  const literal = `${command} ${quoted}`;
  const isShell = askedForShell || NEEDS_SHELL.test(command);
  return isShell && quoted !== bare ? `${literal}\n${command} ${bare}` : literal;
}

function commandBefore(line: string, parts: Arguments): string | undefined {
  const once = line.length - parts.quoted.length - 1;
  const twice = (line.length - parts.quoted.length - parts.bare.length - 3) / 2;
  const lengths = [once, twice].filter((length) => Number.isInteger(length) && length >= 0);
  return lengths.map((length) => line.slice(0, length)).find((command) => lineOf(command, parts) === line);
}

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

function quote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
