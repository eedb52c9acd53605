// Commands that run text from their arguments or from their input.

import { evaluatesAsName } from "./assignments.ts";
import { DEFAULT_SHELL_PROGRAMS, startsShell } from "./default-shell.ts";
import { isOpen, SET, startsOpen } from "./marks.ts";
import { LOOSE, programName } from "./programs.ts";

export interface Scripts {
  /** Shell texts that the command runs. They may contain marks. */
  readonly texts: readonly string[];
  /** The words that the text gets as `$1` and the following parameters. Unset if the command sets none. */
  readonly parameters?: readonly string[];
  /** The descriptor from which the command reads text to run; empty for standard input. Unset if it reads none. */
  readonly input?: string;
  /** Whether the command reads text only if it has an input, because it starts a shell for lack of a command. */
  readonly isFed?: boolean;
  /** The file that the command runs. */
  readonly file?: string;
  /** Names of variables whose indices the command evaluates, even if they are quoted. */
  readonly names?: readonly string[];
  /** Whether the command may evaluate the index of an array in a value. */
  readonly evaluates?: boolean;
  /** Why some text that the command runs is unknown. */
  readonly doubt?: string;
}

const NOTHING: Scripts = Object.freeze({ texts: [] });
const EVALUATES: Scripts = Object.freeze({ texts: [], evaluates: true });

const SHELLS: ReadonlySet<string> = new Set("sh bash rbash dash ash ksh mksh zsh fish su script runuser".split(" "));
const OTHER_SHELLS: ReadonlySet<string> = new Set("pwsh powershell cmd nu nushell csh tcsh xonsh elvish".split(" "));
/** Options of shells whose value is the next word. */
const VALUED: ReadonlySet<string> = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);
const PARALLEL_VALUED: ReadonlySet<string> = new Set(
  "-C -d -E -I -j -L -N -n -S -s --jobs --colsep --joblog --results --max-args --delimiter --sshlogin --timeout".split(
    " ",
  ),
);
const WATCH_VALUED: ReadonlySet<string> = new Set(["-n", "-q", "--interval", "--equexit"]);
/** Matches names of files that are descriptors, including those in `/dev` and `/proc/self/fd`. */
const INPUT = /^(?:-$|\/[./]*(?:dev|proc)\/)|(?:^|\/)(?:stdin|\d+)$/;
/** Matches names of files that are standard input. */
const STANDARD_INPUT = /^-$|(?:^|\/)(?:stdin|0)$/;

/** Builtins that store a command for later, with the options for it. */
const KEEPS_COMMAND: ReadonlyMap<string, RegExp> = new Map([
  ["compgen", /^-\w*[CFW]/],
  ["complete", /^-\w*[CFW]/],
  ["mapfile", /^-\w*C/],
  ["readarray", /^-\w*C/],
  ["bind", /^-\w*[xf]/],
  ["hash", /^-\w*p/],
  ["enable", /^-\w*f/],
  ["fc", /^/],
  ["history", /^-\w*[ps]/],
]);

const DECLARES: ReadonlySet<string> = new Set("declare typeset local export readonly".split(" "));

/** Builtins that take names of variables, some only after `-v`. They evaluate an index even in a quoted name. */
const TAKES_NAMES: ReadonlySet<string> = new Set([
  ...DECLARES,
  ..."let read unset mapfile readarray wait getopts printf test [".split(" "),
]);
const ONLY_BEHIND_V: ReadonlySet<string> = new Set(["printf", "test", "["]);

/** The programs that {@link scriptsOf} knows. */
export const TEXT_RUNNERS: ReadonlySet<string> = new Set([
  ...[...SHELLS, ...OTHER_SHELLS, ...KEEPS_COMMAND.keys(), ...TAKES_NAMES],
  ...[...LOOSE, ...DEFAULT_SHELL_PROGRAMS],
  ...["eval", "env", "genv", "trap", "alias", "source", ".", "at", "batch", "fd", "fdfind", SET],
]);

/** Whether {@link scriptsOf} knows the program. */
export function runsText(name: string): boolean {
  return TEXT_RUNNERS.has(name);
}

/** Whether a name that begins with `prefix` may be a program that runs text. */
export function mayRunText(prefix: string): boolean {
  return [...TEXT_RUNNERS].some((name) => name.startsWith(prefix));
}

/**
 * Returns the scripts that a command runs. `words` are the words of the command, starting with its name. `takesMore`
 * means that the command gets further, unknown words.
 */
export function scriptsOf(words: readonly string[], takesMore: boolean): Scripts {
  const name = programName(words[0] ?? "");
  const rest = words.slice(1);
  switch (name) {
    case "eval":
      return evaluated(rest[0] === "--" ? rest.slice(1) : rest, takesMore);
    case "env":
    case "genv":
      return splitByEnv(rest);
    case "fd":
    case "fdfind":
      return ofFinder(rest);
    case "at":
    case "batch":
      return { texts: [], input: "" };
    case "trap":
      return { texts: rest.slice(firstOperand(rest)).slice(0, 1) };
    case "alias":
      // Text after an alias becomes part of its command.
      return ofAlias(rest);
    case "parallel":
      return { texts: [textOfParallel(rest), ...rest.filter((word) => /\s/.test(word))] };
    case "watch":
      return { texts: [rest.slice(firstOperand(rest, WATCH_VALUED)).join(" ")] };
    case "source":
    case ".":
      return ofSource(rest);
  }
  if (SHELLS.has(name)) return ofShell(name, rest, takesMore);
  if (LOOSE.has(name) || DEFAULT_SHELL_PROGRAMS.has(name)) return ofStarter(name, rest);
  if (OTHER_SHELLS.has(name)) return { texts: [], doubt: `commands of ${name} cannot be read` };
  const keeps = KEEPS_COMMAND.get(name);
  if (keeps !== undefined && rest.some((word) => keeps.test(word))) {
    return { texts: [], doubt: `${name} stores a command for later` };
  }
  return ofNames(name === SET ? "[" : name, rest);
}

function ofNames(name: string, rest: readonly string[]): Scripts {
  if (!TAKES_NAMES.has(name) || (ONLY_BEHIND_V.has(name) && !rest.some((word) => /^-[vR]/.test(word)))) return NOTHING;
  const declares = DECLARES.has(name);
  const names = rest.filter((word) => evaluatesAsName(word, declares));
  if (names.length > 0) return { texts: [], names, doubt: `${name} evaluates quoted text in its arguments` };
  // Integer and reference variables evaluate their values, now or later.
  const evaluates = declares
    ? rest.some((word) => (word[0] === "-" ? /^-\w*[in]/.test(word) : isOpen(word) && !/^\w+\+?=/.test(word)))
    : name === "let" || rest.some(isOpen);
  return evaluates ? EVALUATES : NOTHING;
}

function ofAlias(rest: readonly string[]): Scripts {
  const texts = rest.flatMap((word) => (word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : []));
  return rest.some(startsOpen) ? { texts, doubt: "the text of an alias is not known" } : { texts };
}

function evaluated(words: readonly string[], takesMore: boolean): Scripts {
  const text = words.join(" ");
  if (takesMore) return { texts: [text], doubt: "the text that is evaluated is not known" };
  return text === "" ? NOTHING : { texts: [text] };
}

/**
 * Returns the text of `-S`, which is the next word or part of the same word. The following words belong to the command.
 */
function splitByEnv(rest: readonly string[]): Scripts {
  for (const [at, word] of rest.entries()) {
    if (word[0] !== "-") {
      if (word.includes("=")) continue;
      return NOTHING;
    }
    const [option] = /^(?:-[^-=\s]*?S|--s[a-z-]*(?:=|$))/.exec(word) ?? [];
    if (option === undefined) continue;
    const own = word.slice(option.length);
    const texts = [["env", ...(own === "" ? [] : [own]), ...rest.slice(at + 1)].join(" ")];
    // The text has its own escapes, e.g. `\_` for a space.
    return /[\\$]/.test(texts[0] ?? "") ? { texts, doubt: "env splits text with escapes" } : { texts };
  }
  return NOTHING;
}

/** Returns the command of `--exec=rm` and `-xrm`. */
function ofFinder(rest: readonly string[]): Scripts {
  const option = /^(?:--exec(?:-batch)?=|-[xX](?=.))/;
  const at = rest.findIndex((word) => option.test(word));
  if (at < 0) return NOTHING;
  return { texts: [[(rest[at] ?? "").replace(option, ""), ...rest.slice(at + 1)].join(" ")] };
}

/** Returns the scripts of a program that passes its words to another program or starts a shell. */
function ofStarter(name: string, rest: readonly string[]): Scripts {
  const texts = LOOSE.has(name) ? rest.filter((word) => /\s/.test(word)).map(withoutOption) : [];
  return startsShell(name, rest) ? { texts, input: "", isFed: true } : { texts };
}

/** Removes the option from `-c'rm x'` and `--command='rm x'`. */
function withoutOption(word: string): string {
  return word.replace(/^(?:--[a-z-]+=|(?:-o)?[A-Za-z]+Command[ =]|-[A-Za-z]*?c)(?=\S)/, "");
}

/**
 * Returns the command of `parallel rm {} ::: a b`, which passes each line to a shell. Joins the lines, as if the
 * command ran once for all of them.
 */
function textOfParallel(words: readonly string[]): string {
  const end = words.indexOf(":::");
  if (end < 0) return "";
  const command = words.slice(firstOperand(words, PARALLEL_VALUED), end).join(" ");
  const given = words.slice(end + 1).filter((word) => !word.startsWith(":::"));
  if (command === "") return given.join("\n");
  return command.includes("{}") ? command.replaceAll("{}", given.join(" ")) : `${command} ${given.join(" ")}`;
}

function ofSource(rest: readonly string[]): Scripts {
  const file = rest[firstOperand(rest)] ?? "";
  if (isOpen(file)) return { texts: [], file, doubt: "the file that is sourced is not known" };
  return INPUT.test(file) ? { texts: [], input: file } : { texts: [], file };
}

function ofShell(name: string, rest: readonly string[], takesMore: boolean): Scripts {
  const operand = firstOperand(rest);
  const options = rest.slice(0, operand);
  const startup = options.find((_, at) => /^--(?:rcfile|init-file)$/.test(rest[at - 1] ?? ""));
  const hidden =
    options.some(isOpen) || (startup !== undefined && (INPUT.test(startup) || /\s/.test(startup)))
      ? { doubt: `what ${name} runs is not known` }
      : {};
  const unknown: Scripts = { texts: [], doubt: `what ${name} runs is not known` };
  const isSu = name === "su" || name === "runuser" || name === "script";
  const texts = rest.flatMap((word) => (isSu && word.startsWith("--command=") ? [word.slice(10)] : []));
  const flag = rest.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word) || word === "--command");
  if (flag !== -1 && (isSu || flag < operand)) {
    const after = rest.slice(flag + 1);
    const script = isSu ? after[firstOperand(after)] : rest[operand];
    if (script === undefined) return takesMore ? unknown : { texts, ...hidden };
    texts.push(script);
    // The first word after the script is `$0`.
    const parameters = rest.slice(operand + 2);
    return isSu || parameters.length === 0 ? { texts, ...hidden } : { texts, parameters, ...hidden };
  }
  if (isSu && LOOSE.has(name)) texts.push(...ofStarter(name, rest).texts);
  if (texts.length > 0) return { texts, ...hidden };
  const file = rest[operand];
  if (file === undefined) {
    const asks = rest.some((word) => word === "--version" || word === "--help");
    return takesMore ? unknown : asks ? NOTHING : { texts: [], input: "", ...hidden };
  }
  if (isOpen(file)) return { texts: [], file, doubt: `what ${name} runs is not known` };
  if (isSu && LOOSE.has(name)) return ofStarter(name, rest);
  if (INPUT.test(file)) return { texts: [], input: file, ...hidden };
  if (isSu || options.some((word) => /^-\w*s/.test(word))) return { texts: [], input: "", ...hidden };
  return { texts: [], file, ...hidden };
}

function firstOperand(words: readonly string[], valued = VALUED): number {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return at + 1;
    if (valued.has(word) || /^[-+][A-Za-z]*[oO][A-Za-z]*$/.test(word)) at++;
    else if (word === "-" || !/^[-+]/.test(word)) return at;
  }
  return Math.min(at, words.length);
}

/** Whether a file is a descriptor, or may be a descriptor. */
export function isInput(file: string): boolean {
  return INPUT.test(file);
}

/** Whether a command that runs its input reads the input from this descriptor. */
export function readsDescriptor(input: string, descriptor: string): boolean {
  const isStandard = input === "" || STANDARD_INPUT.test(input);
  if (isStandard) return descriptor === "" || descriptor === "0";
  return /\d+$/.exec(input)?.[0] === descriptor || descriptor.startsWith("{");
}
