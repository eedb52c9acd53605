import type { JsonObject, JsonValue } from "../../json.ts";

/**
 * Combines `command` and `args` of `run_command`, in which a model may put a program and its arguments. A guard judges
 * one line and must see everything that runs, so the canonical `command` is the whole line. `args` is kept for
 * converting back.
 */
export function wholeLine(input: JsonObject): JsonObject {
  const { command } = input;
  const parts = argumentsOf(input);
  return typeof command === "string" && parts !== undefined ? { ...input, command: lineOf(command, parts) } : input;
}

/** Splits a whole line into `command` and `args`. A line that does not end with `args` was rewritten. */
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

/** Returns the arguments; `undefined` if `args` is not a list or is empty. `shell` may name a shell. */
function argumentsOf({ args, shell }: JsonObject): Arguments | undefined {
  if (!Array.isArray(args) || args.length === 0) return undefined;
  const texts = args.map((one: JsonValue) => textOf(one));
  return { quoted: texts.map(quote).join(" "), bare: texts.join(" "), askedForShell: Boolean(shell) };
}

/** Returns the value as the started program receives it. */
function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((one: JsonValue) => (one === null ? "" : textOf(one))).join(",");
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}

/** Characters with which a shell runs the command. The shell may also interpret the arguments. */
const NEEDS_SHELL = /[|><;&`$*?\n]/;

/**
 * Returns the line that a guard judges. Arguments are usually literal. If a shell may interpret them, a second line
 * shows the command as the shell would read it, because either line may be what runs.
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
