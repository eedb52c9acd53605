import { isAssignment } from "../../../src/shell/assignments.ts";
import { GIVEN, UNKNOWN } from "../../../src/shell/marks.ts";
import { programName } from "../../../src/shell/programs.ts";

/** A program and its arguments, without the programs that only run it (`sudo`, `env`, `xargs`). */
export interface Call {
  readonly name: string;
  readonly args: string[];
  /** Whether more arguments come from the command's input. */
  readonly takesInput: boolean;
}

/**
 * Whether an option is given, in its long or short form. A short option in `valued` ends its cluster, because the rest
 * is its value.
 */
export function has({ args }: Call, long: string, short: string, valued = ""): boolean {
  for (const arg of args) {
    if (arg[0] !== "-") continue;
    if (arg === "--") return false;
    if (isLong(arg, long) || hasFlag(arg, short, valued)) return true;
  }
  return false;
}

/** Returns the arguments that are not options. */
export function operandsOf({ args }: Call): string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const found = before.filter((arg) => arg[0] !== "-" || arg === "-");
  return end < 0 ? found : [...found, ...args.slice(end + 1)];
}

/** Whether an argument is `--force`, or any of its prefixes, which GNU tools accept. */
function isLong(arg: string, long: string): boolean {
  return arg.length > 2 && arg.startsWith("--") && long.startsWith(arg);
}

function isCluster(arg: string): boolean {
  return arg[0] === "-" && arg.length > 1 && arg[1] !== "-";
}

export function hasFlag(arg: string, short: string, valued: string): boolean {
  if (short === "" || !isCluster(arg)) return false;
  const at = arg.indexOf(short, 1);
  if (at < 0 || valued === "") return at > 0;
  for (let i = 1; i < at; i++) if (valued.includes(arg.charAt(i))) return false;
  return true;
}

/** Returns the name of the program, without its directory and without variables, which may be empty. */
function nameIn(word: string): string {
  const name = programName(word);
  return name.includes(UNKNOWN) ? name.replaceAll(GIVEN, "").replaceAll(UNKNOWN, "") : name;
}

export function callOf(words: readonly string[], takesInput: boolean): Call {
  return { name: nameIn(words[0] ?? ""), args: words.slice(1), takesInput };
}

/** Returns the words from the program's name on, without assignments before it and expansions that may be empty. */
export function fromName(words: readonly string[]): readonly string[] {
  const first = words[0] ?? UNKNOWN;
  if (first[0] !== UNKNOWN && !first.includes("=")) return words;
  for (const [at, word] of words.entries()) {
    // Programs such as `env` also take names that a shell does not.
    if (isAssignment(word) || /^\d\w*=/.test(word) || (word[0] === UNKNOWN && nameIn(word) === "")) continue;
    return at === 0 ? words : words.slice(at);
  }
  return [];
}
