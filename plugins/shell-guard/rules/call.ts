import { isAssignment } from "../../../src/shell/assignments.ts";
import { GIVEN, UNKNOWN } from "../../../src/shell/marks.ts";
import { programName } from "../../../src/shell/programs.ts";

/** A program and its arguments, with everything that only runs it (`sudo`, `env`, `xargs`) taken off. */
export interface Call {
  readonly name: string;
  readonly args: string[];
  /** More arguments come from the command's input. */
  readonly takesInput: boolean;
}

/** Is an option given, long or short? A short one that is `valued` ends its cluster: the rest is its value. */
export function has({ args }: Call, long: string, short: string, valued = ""): boolean {
  for (const arg of args) {
    if (arg[0] !== "-") continue;
    if (arg === "--") return false;
    if (isLong(arg, long) || hasFlag(arg, short, valued)) return true;
  }
  return false;
}

/** The arguments that are no options. */
export function operandsOf({ args }: Call): string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const found = before.filter((arg) => arg[0] !== "-" || arg === "-");
  return end < 0 ? found : [...found, ...args.slice(end + 1)];
}

/** `--force`, and what GNU tools take for it: any beginning of it. */
export function isLong(arg: string, long: string): boolean {
  return arg.length > 2 && arg.startsWith("--") && long.startsWith(arg);
}

export function isCluster(arg: string): boolean {
  return arg[0] === "-" && arg.length > 1 && arg[1] !== "-";
}

export function hasFlag(arg: string, short: string, valued: string): boolean {
  if (short === "" || !isCluster(arg)) return false;
  const at = arg.indexOf(short, 1);
  if (at < 0 || valued === "") return at > 0;
  for (let i = 1; i < at; i++) if (valued.includes(arg.charAt(i))) return false;
  return true;
}

/** The name of the program: no directory, and no variables in it, which may well be empty. */
function nameIn(word: string): string {
  const name = programName(word);
  return name.includes(UNKNOWN) ? name.replaceAll(GIVEN, "").replaceAll(UNKNOWN, "") : name;
}

export function callOf(words: readonly string[], takesInput: boolean): Call {
  return { name: nameIn(words[0] ?? ""), args: words.slice(1), takesInput };
}

/** The words without the assignments before the name, and without expansions that may be empty. */
export function fromName(words: readonly string[]): readonly string[] {
  const first = words[0] ?? UNKNOWN;
  if (first[0] !== UNKNOWN && !first.includes("=")) return words;
  for (const [at, word] of words.entries()) {
    if (isAssignment(word) || (word[0] === UNKNOWN && nameIn(word) === "")) continue;
    return at === 0 ? words : words.slice(at);
  }
  return [];
}
