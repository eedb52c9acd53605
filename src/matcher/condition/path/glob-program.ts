import { lazyPackage } from "../../../lazy-package.ts";

const picomatch = lazyPackage<typeof import("picomatch")>("picomatch");

/** For each option's reason, see docs/decisions/0269-picomatch.md. */
export const PICOMATCH_OPTIONS = {
  dot: true,
  nonegate: true,
  posix: true,
  regex: false,
  strictSlashes: true,
  maxExtglobRecursion: false,
  maxLength: 4_000,
} as const;

/** One position of a pattern. */
export type Instruction =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "set"; readonly fits: (char: string) => boolean; readonly steps: number }
  /** Any characters, within a name or across folders. */
  | { readonly kind: "star"; readonly crosses: boolean }
  /** The slash after a `**`. It is optional if the `**` matches nothing. */
  | { readonly kind: "folders" }
  /** Continues at each of these positions. */
  | { readonly kind: "split"; readonly to: number[] };

export interface Refusal {
  readonly ok: false;
  readonly message: string;
  readonly hint?: string;
}

export type ReadGlob = { readonly ok: true; readonly programs: readonly (readonly Instruction[])[] } | Refusal;

/**
 * Reads a pattern with picomatch. A parenthesis without an operator before it may be part of a name, as in `app/(auth)`,
 * so such a pattern is also read with ordinary parentheses.
 */
export function readGlob(source: string): ReadGlob {
  try {
    const own = new Reader(source);
    const { mayBeName, isPaired } = own;
    if (!isPaired && /[?*+@]\(/.test(source))
      throw new Unreadable("a parenthesis is not closed", "write [(] for a parenthesis in a name");
    const asName = mayBeName || !isPaired ? [new Reader(withPlainParentheses(source))] : [];
    const readers = isPaired ? [own, ...asName] : asName;
    return { ok: true, programs: readers.map(({ program }) => program) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ok: false, message: `"${source}" is not a path pattern: ${error.message}`, hint: error.hint };
  }
}

export function withPlainParentheses(source: string): string {
  return source.replace(/\\.|[()|]/gs, (found) => (found.length > 1 ? found : `\\${found}`));
}

/** Text that picomatch misreads, and text that it reads as meant. */
const REWRITTEN: Readonly<Record<string, string>> = {
  // picomatch reads a pattern for ever that ends in several backslashes, or in `[\][:alpha:`.
  "\\\\": "[\\\\-\\\\]",
  ":": "\\:",
  // picomatch removes quotes, and reads `{../a,b}` as a range.
  '"': '\\"',
  "..": ".[.]",
};

/** Returns a pattern for picomatch with the same meaning. */
export function prepared(source: string): string {
  const found = /\\.|\[[^\]]*\]|\{\w+(?:\.\.\w+)+\}|\.\.|"|\*{3,}|:$/gs;
  return source.replace(found, (text) => (text.startsWith("***") ? "**" : (REWRITTEN[text] ?? text)));
}

class Unreadable extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

interface Group {
  readonly closing: string;
  /** `?`, `*`, `+` or `@`. */
  readonly operator: string;
  readonly start: number;
  readonly choices: number[];
  /** The jumps from the end of each alternative to the end of the group. */
  readonly exits: number[][];
}

interface Token {
  readonly type: string;
  readonly value: string;
  readonly output?: string;
  readonly extglob?: boolean;
}

const STEPS_PER_MEMBER = 4;
const SLASH: Instruction = { kind: "char", char: "/" };
const NOT_SLASH: Instruction = { kind: "set", fits: (char) => char !== "/", steps: 0 };

/** Converts the tokens of picomatch to a program. picomatch itself would convert them to a backtracking expression. */
class Reader {
  readonly program: Instruction[] = [];
  readonly #groups: Group[] = [];
  mayBeName = false;
  isPaired = true;

  constructor(source: string) {
    const { tokens }: { tokens: readonly Token[] } = picomatch().parse(prepared(source), PICOMATCH_OPTIONS);
    for (const [at, token] of tokens.entries()) this.#read(token, tokens[at - 1], tokens[at + 1]);
    for (const { closing } of this.#groups) {
      if (closing === "}") throw new Unreadable("a { is not closed", "write [{] for a brace in a name");
      this.isPaired = false;
    }
  }

  #read(token: Token, previous: Token | undefined, next: Token | undefined): void {
    const { type, value } = token;
    if (type === "negate") throw new Unreadable("it has a negation", "use ? or [^a] for characters that may differ");
    if (type === "bos" || isOperator(token, next)) return;
    if (type === "slash") this.program.push(previous?.type === "globstar" ? { kind: "folders" } : SLASH);
    else if (type === "star" || type === "globstar") this.program.push({ kind: "star", crosses: type === "globstar" });
    else if (type === "qmark") this.program.push(NOT_SLASH);
    else if (type === "bracket") this.#readBracket(value);
    else if (type === "comma" && token.output === "|") this.#startAlternative();
    else if (type === "brace" && value === "{") this.#open("}", "@");
    else if (type === "brace" && value === "}") this.#closeBrace(token.output);
    else if (type === "paren" && value === "(") {
      const isPlain = previous === undefined || !isOperator(previous, token);
      this.mayBeName ||= isPlain;
      this.#open(")", isPlain ? "@" : previous.value);
    } else if (type === "paren") this.#close(")");
    else this.#readText(value);
  }

  /** Reads text in which a backslash makes the next character ordinary. */
  #readText(text: string): void {
    for (const found of text.match(/\\?./gsu) ?? []) {
      if (found === "|" && this.#groups.at(-1)?.closing === ")") this.#startAlternative();
      else if (found === "?")
        throw new Unreadable(
          "a ? is next to a parenthesis",
          "write ?(a) for an optional part, and [^/] for any character",
        );
      else this.program.push({ kind: "char", char: found.replace(/^\\(?=.)/s, "") });
    }
  }

  #readBracket(value: string): void {
    // Characters without a range are also the name with its brackets: `[id]`.
    const [, name] = /^\(\?:(.*)\|\[[^[]*\]\)$/s.exec(value) ?? [];
    const set = name === undefined ? value : value.slice(name.length + 4, -1);
    if (name !== undefined) {
      this.#open("", "@");
      this.#readText(name);
      this.#startAlternative();
    }
    const expression = setOf(set);
    const fits = (char: string): boolean => char !== "/" && expression.test(char);
    this.program.push({ kind: "set", fits, steps: STEPS_PER_MEMBER * set.length });
    if (name !== undefined) this.#close("");
  }

  #closeBrace(output = ")"): void {
    if (output === ")") {
      this.#close("}");
      return;
    }
    // picomatch has removed the tokens inside the braces.
    if (!/^\[\w-\w\]$/.test(output))
      throw new Unreadable("a range in braces is not of two characters", "write {8,9,10} with all alternatives");
    this.#readBracket(output);
  }

  #open(closing: string, operator: string): void {
    const start = this.program.length;
    const choices = [start + 1];
    this.program.push({ kind: "split", to: choices });
    this.#groups.push({ closing, operator, start, choices, exits: [] });
  }

  #startAlternative(): void {
    const group = this.#groups.at(-1);
    const exit: number[] = [];
    this.program.push({ kind: "split", to: exit });
    group?.exits.push(exit);
    group?.choices.push(this.program.length);
  }

  #close(closing: string): void {
    const group = this.#groups.at(-1);
    if (group?.closing !== closing) {
      this.isPaired = false;
      return;
    }
    this.#groups.pop();
    const { operator, start, choices, exits } = group;
    const end = this.program.length;
    for (const exit of exits) exit.push(end);
    if (operator === "*" || operator === "+") this.program.push({ kind: "split", to: [start, end + 1] });
    if (operator === "*" || operator === "?") choices.push(this.program.length);
  }
}

function isOperator({ type }: Token, next: Token | undefined): boolean {
  return type === "at" || (next?.type === "paren" && next.value === "(" && next.extglob === true);
}

function setOf(set: string): RegExp {
  try {
    if (set.startsWith("[")) return new RegExp(`^${set}$`, "u");
  } catch {
    // Reported below.
  }
  throw new Unreadable("a [ is not closed, or its characters are no set", "write [[] for a bracket in a name");
}
