// Commands that run text: what they were given as text, and what they read.

import { evaluatesAsName } from "./assignments.ts";
import { DEFAULT_SHELL_PROGRAMS, startsShell } from "./default-shell.ts";
import { isOpen, SET, startsOpen } from "./marks.ts";
import { LOOSE, programName } from "./programs.ts";

export interface Scripts {
  /** Shell text that the command runs. May have marks in it. */
  readonly texts: readonly string[];
  /** The command runs what it reads from its input, or from the descriptor in `input`. */
  readonly input?: string;
  /** Only if the command has an input: it starts a shell because it has no command. */
  readonly isFed?: boolean;
  /** The file that it runs. */
  readonly file?: string;
  /** Names of variables whose indices the command evaluates as a quoted text. */
  readonly names?: readonly string[];
  /** The command may evaluate the index of an array in a value. */
  readonly evaluates?: boolean;
  /** Why not everything that it runs can be told. */
  readonly doubt?: string;
}

const NOTHING: Scripts = Object.freeze({ texts: [] });
const EVALUATES: Scripts = Object.freeze({ texts: [], evaluates: true });

const SHELLS: ReadonlySet<string> = new Set("sh bash rbash dash ash ksh mksh zsh fish su script runuser".split(" "));
const OTHER_SHELLS: ReadonlySet<string> = new Set("pwsh powershell cmd nu nushell csh tcsh xonsh elvish".split(" "));
/** Options of shells that take the next word. */
const VALUED: ReadonlySet<string> = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);
const PARALLEL_VALUED: ReadonlySet<string> = new Set(
  "-C -d -E -I -j -L -N -n -S -s --jobs --colsep --joblog --results --max-args --delimiter --sshlogin --timeout".split(
    " ",
  ),
);
const WATCH_VALUED: ReadonlySet<string> = new Set(["-n", "-q", "--interval", "--equexit"]);
/** Files that are descriptors, also as seen from `/dev` or `/proc/self/fd`. */
const INPUT = /^(?:-$|\/[./]*(?:dev|proc)\/)|(?:^|\/)(?:stdin|\d+)$/;
/** Descriptors of the shell that a command inherits. */
const STANDARD_INPUT = /^-$|(?:^|\/)(?:stdin|0)$/;

/** Builtins that keep a command for later, with the options that do. */
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

/** Builtins that take the names of variables, some only behind `-v`: an index in one is evaluated, quoted or not. */
const TAKES_NAMES: ReadonlySet<string> = new Set([
  ...DECLARES,
  ..."let read unset mapfile readarray wait getopts printf test [".split(" "),
]);
const ONLY_BEHIND_V: ReadonlySet<string> = new Set(["printf", "test", "["]);

const TEXT_RUNNERS: ReadonlySet<string> = new Set([
  ...[...SHELLS, ...OTHER_SHELLS, ...KEEPS_COMMAND.keys(), ...TAKES_NAMES],
  ...[...LOOSE, ...DEFAULT_SHELL_PROGRAMS],
  ...["eval", "env", "genv", "trap", "alias", "source", ".", "at", "batch", "fd", "fdfind", SET],
]);

/** Whether {@link scriptsOf} has anything to say of a program. */
export function runsText(name: string): boolean {
  return TEXT_RUNNERS.has(name);
}

/** Whether a name that begins with these letters may be one that runs text. */
export function mayRunText(prefix: string): boolean {
  return [...TEXT_RUNNERS].some((name) => name.startsWith(prefix));
}

/** `words` are those of one command, its name first; `takesMore` if it gets more words than these. */
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
      // What follows an alias in the text becomes part of it.
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
    return { texts: [], doubt: `${name} keeps a command for later` };
  }
  return ofNames(name === SET ? "[" : name, rest);
}

function ofNames(name: string, rest: readonly string[]): Scripts {
  if (!TAKES_NAMES.has(name) || (ONLY_BEHIND_V.has(name) && !rest.some((word) => /^-[vR]/.test(word)))) return NOTHING;
  const declares = DECLARES.has(name);
  const names = rest.filter((word) => evaluatesAsName(word, declares));
  if (names.length > 0) return { texts: [], names, doubt: `${name} evaluates what its arguments quote` };
  // An integer and a reference evaluate what they are given, now or later.
  const evaluates = declares
    ? rest.some((word) => (word[0] === "-" ? /^-\w*[in]/.test(word) : isOpen(word) && !/^\w+\+?=/.test(word)))
    : name === "let" || rest.some(isOpen);
  return evaluates ? EVALUATES : NOTHING;
}

function ofAlias(rest: readonly string[]): Scripts {
  const texts = rest.flatMap((word) => (word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : []));
  return rest.some(startsOpen) ? { texts, doubt: "an alias is not known" } : { texts };
}

function evaluated(words: readonly string[], takesMore: boolean): Scripts {
  const text = words.join(" ");
  if (takesMore) return { texts: [text], doubt: "the text that is evaluated is not known" };
  return text === "" ? NOTHING : { texts: [text] };
}

/** The text of `-S`, behind it or in the same word; what follows are more words of the command. */
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
    // It has escapes of its own, `\_` for a blank among them.
    return /[\\$]/.test(texts[0] ?? "") ? { texts, doubt: "env splits text with escapes" } : { texts };
  }
  return NOTHING;
}

/** `--exec=rm` and `-xrm`. */
function ofFinder(rest: readonly string[]): Scripts {
  const option = /^(?:--exec(?:-batch)?=|-[xX](?=.))/;
  const at = rest.findIndex((word) => option.test(word));
  if (at < 0) return NOTHING;
  return { texts: [[(rest[at] ?? "").replace(option, ""), ...rest.slice(at + 1)].join(" ")] };
}

/** A program that hands its words to another one, or starts a shell. */
function ofStarter(name: string, rest: readonly string[]): Scripts {
  const texts = LOOSE.has(name) ? rest.filter((word) => /\s/.test(word)).map(withoutOption) : [];
  return startsShell(name, rest) ? { texts, input: "", isFed: true } : { texts };
}

/** `-c'rm x'` and `--command='rm x'` bring the command along. */
function withoutOption(word: string): string {
  return word.replace(/^(?:--[a-z-]+=|(?:-o)?[A-Za-z]+Command[ =]|-[A-Za-z]*?c)(?=\S)/, "");
}

/** `parallel rm {} ::: a b` hands each line to a shell. Here they are one, as if it ran for all of them at once. */
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
    options.some(isOpen) || (startup !== undefined && INPUT.test(startup))
      ? { doubt: `what ${name} runs is not known` }
      : {};
  const unknown: Scripts = { texts: [], doubt: `what ${name} runs is not known` };
  const isSu = name === "su" || name === "runuser" || name === "script";
  const texts = rest.flatMap((word) => (isSu && word.startsWith("--command=") ? [word.slice(10)] : []));
  const flag = rest.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word) || word === "--command");
  if (flag !== -1 && (isSu || flag < operand)) {
    const after = rest.slice(flag + 1);
    const script = isSu ? after[firstOperand(after)] : rest[operand];
    if (script !== undefined) texts.push(script);
    else if (takesMore) return unknown;
    return { texts, ...hidden };
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

/** Whether a file is a descriptor, or may be one. */
export function isInput(file: string): boolean {
  return INPUT.test(file);
}

/** Whether a command that runs its input reads this descriptor for it. */
export function readsDescriptor(input: string, descriptor: string): boolean {
  const isStandard = input === "" || STANDARD_INPUT.test(input);
  if (isStandard) return descriptor === "" || descriptor === "0";
  return /\d+$/.exec(input)?.[0] === descriptor || descriptor.startsWith("{");
}
