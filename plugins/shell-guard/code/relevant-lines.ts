// Reduces a long program to the lines that may matter: calls with an effect, and the lines that their arguments come
// from. Searches with built-in functions of strings only, because reading a line costs a hundred times as much.

import { needlesOf } from "./effects.ts";
import type { Language } from "./languages.ts";

/** Shorter programs are read as a whole. */
const FEW_LINES = 6;
/** Programs with more characters are searched for severe effects only. */
const LONG = 2_500;
const MAX_LINES_OF_CALL = 40;
const IMPORTS = ["import ", "require", "use "];
/** How often the names of chosen lines lead to further lines. */
const ROUNDS = 3;
const WORK_PER_FIND = 600;
const WORK_PER_NAME = 250;
const WORK_PER_LINE = 40;
const NAME = /[A-Za-z_]\w*/g;

/** Returns the relevant lines of a program, in their order. `spend` is called with the characters that are searched. */
export function relevantLines(text: string, language: Language, spend: (work: number) => void): string {
  const lines = text.split("\n");
  if (lines.length <= FEW_LINES) return text;
  return new Lines(text, lines, language, spend).relevant();
}

class Lines {
  readonly #text: string;
  readonly #lines: readonly string[];
  readonly #spend: (work: number) => void;
  /** The offset of each line. */
  readonly #offsets: number[] = [];
  /** Start and end of texts over several lines. */
  readonly #texts: (readonly [start: number, end: number])[] = [];
  readonly #chosen = new Set<number>();
  /** The names in the chosen lines whose assignments are not chosen yet. */
  #names = new Set<string>();
  /** The lines that assign a name. */
  readonly #assignments = new Map<string, number[]>();
  readonly #needles: readonly string[];

  constructor(text: string, lines: readonly string[], { name }: Language, spend: (work: number) => void) {
    this.#text = text;
    this.#lines = lines;
    this.#spend = spend;
    this.#needles = needlesOf(name, text.length > LONG);
    spend(lines.length * WORK_PER_LINE);
    let offset = 0;
    for (const line of lines) {
      this.#offsets.push(offset);
      offset += line.length + 1;
    }
    for (const quote of name === "js" ? ["`"] : ['"""', "'''"]) this.#findTexts(quote);
  }

  relevant(): string {
    for (const needle of this.#needles) this.#choose(needle);
    if (this.#chosen.size === 0) return "";
    this.#findAssignments();
    for (let round = 0; round < ROUNDS; round++) {
      const names = this.#names;
      this.#names = new Set();
      for (const name of names) {
        for (const line of this.#assignments.get(name) ?? []) if (!this.#chosen.has(line)) this.#chooseStatement(line);
      }
    }
    for (const word of IMPORTS) this.#choose(word);
    return [...this.#chosen]
      .sort((one, other) => one - other)
      .map((at) => this.#lines[at])
      .join("\n");
  }

  #findAssignments(): void {
    for (const [at, line] of this.#lines.entries()) {
      this.#spend(WORK_PER_LINE + line.length);
      const sign = line.indexOf("=");
      const isLoop = sign < 0 && line.includes("for ");
      if (sign <= 0 && !isLoop) continue;
      const words = (isLoop ? line.slice(line.indexOf("for ") + 4) : line.slice(0, sign)).trim().split(" ");
      const name = (isLoop ? words : words.reverse()).find((word) => word.length > 1 || /\w/.test(word)) ?? "";
      const plain = name.replace(/[^\w]/g, "");
      this.#assignments.set(plain, [...(this.#assignments.get(plain) ?? []).slice(-3), at]);
    }
  }

  #findTexts(quote: string): void {
    this.#spend(this.#text.length >> 4);
    for (let start = this.#text.indexOf(quote); start >= 0; ) {
      const end = this.#text.indexOf(quote, start + quote.length);
      if (end < 0) return;
      this.#texts.push([start, end]);
      start = this.#text.indexOf(quote, end + quote.length);
    }
  }

  /** Chooses the statements that contain a text. */
  /** Chooses the statements that contain a text. */
  #choose(needle: string): void {
    this.#spend(this.#text.length + WORK_PER_LINE);
    for (let at = this.#text.indexOf(needle); at >= 0; ) {
      this.#spend(WORK_PER_FIND);
      const line = this.#lineAt(at);
      if (!this.#chosen.has(line)) this.#chooseStatement(line);
      // One find in a line is enough.
      at = this.#text.indexOf(needle, (this.#offsets[line] ?? 0) + (this.#lines[line]?.length ?? 0));
    }
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Chooses a line, the lines of a text around it, and the lines up to the end of its brackets. */
  #chooseStatement(line: number): void {
    const offset = this.#offsets[line] ?? 0;
    const around = this.#texts.find(([start, end]) => start < offset && offset < end);
    const first = around === undefined ? line : this.#lineAt(around[0]);
    const last = around === undefined ? line : this.#lineAt(around[1]);
    let open = 0;
    for (let at = first; at < this.#lines.length && at < first + MAX_LINES_OF_CALL; at++) {
      const text = this.#lines[at] ?? "";
      this.#spend(60 + text.length);
      this.#chosen.add(at);
      open += text.split("(").length - text.split(")").length;
      if (around === undefined) {
        for (const [name] of text.matchAll(NAME)) {
          this.#spend(WORK_PER_NAME);
          this.#names.add(name);
        }
      }
      if (open <= 0 && at >= last) break;
    }
  }
}
