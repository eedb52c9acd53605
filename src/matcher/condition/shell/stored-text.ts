// Finds text that a shell runs later: in values that arithmetic evaluates, in variables that the shell runs, in its
// history.

import { isAssignment } from "../../../shell/assignments.ts";
import type { Command } from "../../../shell/command.ts";
import { isMark, isOpen, SET, UNKNOWN } from "../../../shell/marks.ts";
import { programName } from "../../../shell/programs.ts";
import { isInput } from "../../../shell/scripts.ts";

const COMMAND = /\$[({]|`|\$$/;
/** Also finds such text with an unknown part, or in the escape sequences of `printf` and of prompts. */
const PARTS = new RegExp(
  `\\$${UNKNOWN}|${UNKNOWN}\\(|\\\\(?:0?0?44|0?140|x(?:24|60)|u0{0,2}(?:24|60)|U0{0,6}(?:24|60))`,
);

/** Variables whose values a shell runs. */
const RUN = ["PROMPT_COMMAND", "BASH_ALIASES", "BASH_CMDS"];
/** Variables whose values a shell expands. The values of `BASH_ENV` and `ENV` name files that the shell runs. */
const EXPANDED = ["PS0", "PS1", "PS2", "PS3", "PS4", "BASH_ENV", "ENV"];
const FUNCTION = "BASH_FUNC_";
/** Matches variables with such names, except `ENV`, which is an ordinary word. */
const MENTIONED = new RegExp(`(?<!\\w)(?:${[...RUN, ...EXPANDED.slice(0, -1)].join("|")})(?!\\w)|${FUNCTION}`);

const DECLARES = ["export", "declare", "typeset", "local", "readonly"];
/** Commands whose arguments may contain assignments. */
const ASSIGNS: ReadonlySet<string> = new Set([...DECLARES, "env", "sudo"]);
/** Commands that set the variables that their arguments name. */
const NAMES: ReadonlySet<string> = new Set([...DECLARES, "read", "printf", "mapfile", "readarray", "getopts"]);
/** Words of commands that store their arguments in variables of any name. */
const GIVES: ReadonlySet<string> = new Set([...DECLARES, "set", "-v", "read"]);

const SETS_HISTORY = /^(?:set|shopt|r?(?:ba)?sh)$/;
const HISTORY = new RegExp(`^-\\w*[iH]|^histexpand$|^${UNKNOWN}`);
const FROM_HISTORY = /(?<![$#[])![^\s=(]|^\^/m;

/** Whether a literal text contains a command substitution. */
function holdsCommand(text: string): boolean {
  return COMMAND.test(text);
}

/** Whether an array index in a literal text contains a command substitution, which arithmetic would run. */
function holdsIndex(text: string): boolean {
  const index = text.indexOf("[");
  return index >= 0 && /\$[({]|`/.test(text.slice(index));
}

/**
 * Which words of a builtin are names of variables that it sets. With `open`, only words with unknown parts count,
 * because they may contain a value.
 */
type Naming = "all" | "open" | "none";

function namingOf(program: string, words: readonly string[]): Naming {
  if (program === "printf") return words.some((word) => word.startsWith("-v")) ? "all" : "none";
  return DECLARES.includes(program) && !words.some((word) => /^-\w*n/.test(word)) ? "open" : "all";
}

/**
 * Tracks text that a shell may run later. Each method returns a reason if some commands of the text are unknown,
 * otherwise `undefined`.
 */
export class StoredText {
  #holdsCommand = false;
  #evaluates = false;
  #mentions = false;
  #namesAny = false;
  #keepsHistory = false;
  #usesHistory = false;

  /** Returns the result for the whole text. `evaluates` means that the text contains an evaluation. */
  conclusion(evaluates: boolean): string | undefined {
    if (this.#holdsCommand && (evaluates || this.#evaluates || this.#namesAny)) {
      return "arithmetic may evaluate a command that is quoted as text";
    }
    if (this.#mentions && this.#namesAny) return "a variable that a shell runs may be set under another name";
    return this.#keepsHistory && this.#usesHistory ? "a command may come from the history" : undefined;
  }

  takeScript(text: string): void {
    this.#usesHistory ||= FROM_HISTORY.test(text);
  }

  /** Adds the body of a here-document. */
  takeDocument(text: string): void {
    if (holdsIndex(text)) this.#holdsCommand = true;
    this.#mentions ||= MENTIONED.test(text);
  }

  /** Adds a literal part of an expansion. */
  takeOperand(text: string): void {
    if (holdsCommand(text)) this.#holdsCommand = true;
  }

  assigned(name: string, values: readonly string[]): string | undefined {
    let reason: string | undefined;
    for (const value of values) {
      this.#takeValue(value);
      reason ??= this.#judgeValue(name, value);
    }
    return reason;
  }

  /** Judges the words and inputs of one command. */
  judge({ words, places, source, redirections }: Command): string | undefined {
    let reason: string | undefined;
    let isPrefix = true;
    let assigns = false;
    let sets: Naming | undefined;
    let setsHistory = false;
    for (const [at, word] of words.entries()) {
      isPrefix &&= isAssignment(word);
      this.takeDocument(word);
      const equals = word.indexOf("=");
      if ((isPrefix || assigns) && equals > 0) {
        const value = word.slice(equals + 1);
        const raw = source.slice(places[2 * at], places[2 * at + 1]);
        if (isPrefix && holdsCommand(word)) reason ??= "a variable holds a command as text";
        this.#takeParts(word);
        reason ??= this.#judgeValue(word.slice(0, equals), value, raw);
        if (sets !== undefined) reason ??= this.#judgeName(value, sets);
      } else if (sets !== undefined) reason ??= this.#judgeName(word, sets);
      if (assigns && word.startsWith(FUNCTION)) reason ??= "a variable holds a command as text";
      const program = programName(word);
      assigns ||= ASSIGNS.has(program);
      if (sets === undefined && NAMES.has(program)) sets = namingOf(program, words);
      setsHistory ||= SETS_HISTORY.test(program);
    }
    if (setsHistory && words.some((word) => HISTORY.test(word))) this.#keepsHistory = true;
    if (words.some((word) => GIVES.has(word))) for (const word of words) this.#takeValue(word);
    for (const { text = "" } of redirections?.inputs ?? []) {
      this.#takeValue(text);
      this.#mentions ||= MENTIONED.test(text);
    }
    return reason;
  }

  #takeValue(value: string): void {
    if (holdsCommand(value)) this.#holdsCommand = true;
    this.#takeParts(value);
  }

  #takeParts(value: string): void {
    if (PARTS.test(value)) this.#holdsCommand = true;
  }

  /** Judges a value that is assigned to a variable. `raw` is the assignment as the user wrote it. */
  #judgeValue(text: string, value: string, raw = ""): string | undefined {
    const names = this.#namesFor(text.replace(/\+$/, ""));
    const isSure = !isOpen(text);
    const holds = holdsCommand(value) || PARTS.test(value);
    const isRun = names.some((name) => {
      if (RUN.includes(name) || holds) return true;
      if (!isSure) return false;
      if (name === "BASH_ENV" || name === "ENV") {
        return raw.includes("<(") || isInput(value) || (name === "BASH_ENV" && value === UNKNOWN);
      }
      if (value.includes(UNKNOWN)) this.#evaluates = true;
      return /\$\(|`/.test(raw);
    });
    return isRun || (text.startsWith(FUNCTION) && isSure) ? "a variable holds a command as text" : undefined;
  }

  /** Judges a word of a builtin that sets variables. */
  #judgeName(word: string, naming: Naming): string | undefined {
    if (naming === "none" || (naming === "open" && !isOpen(word))) return undefined;
    const names = this.#namesFor(word.replace(/^-\w*?v(?=.)/, ""));
    if (names.includes("ENV")) this.#evaluates = true;
    return names.some((name) => name !== "ENV") ? "a variable that a shell runs is set" : undefined;
  }

  /** Returns the shell variables that a partly known name may mean. An unknown name may mean any variable. */
  #namesFor(text: string): readonly string[] {
    const index = text.search(/[\ue004[]/);
    const name = index > 0 ? text.slice(0, index) : text;
    const all = [...RUN, ...EXPANDED];
    if (!isOpen(name)) return all.includes(name) ? [name] : [];
    const parts = name.split(UNKNOWN);
    if (parts.join("") === "") {
      this.#namesAny = true;
      return [];
    }
    const [first = ""] = parts;
    const last = parts.at(-1) ?? "";
    return isMark(first[0] ?? "") || first.includes(SET)
      ? []
      : all.filter((one) => one.startsWith(first) && one.endsWith(last));
  }
}
