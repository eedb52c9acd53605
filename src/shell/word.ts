import { expandBraces } from "./braces.ts";
import { ANY, BRACE, CHOICE, SET, STAR } from "./marks.ts";
import type { ShellReader } from "./reader.ts";

const WORK_PER_VALUE = 300;
/** Matches signs without which a text is a single word, and runs no command in an index. */
const COMMAND = /[\s`({;|&<]/;

/** A word during reading. The results are written to a list, because an expansion may split the word. */
export class Word {
  /** Whether nothing in the word was quoted or expanded. Only a plain word can be a keyword. */
  plain = true;
  begun = false;
  readonly #reader: ShellReader;
  readonly #out: string[];
  #text = "";
  #openBraces = 0;
  #hasBraces = false;

  constructor(reader: ShellReader, out: string[]) {
    this.#reader = reader;
    this.#out = out;
  }

  add(text: string): void {
    this.begun = true;
    this.#text += text;
  }

  addWildcard(mark: string): void {
    this.#reader.globs = true;
    this.add(mark);
  }

  /** Replaces the sign before a pattern `@(…)` by a wildcard. */
  replaceLast(): void {
    this.#text = this.#text.slice(0, -1);
    this.addWildcard(STAR);
  }

  /** Records quotes, because even an empty pair of quotes is a word. */
  addQuotes(): void {
    this.begun = true;
    this.plain = false;
  }

  /** Adds one of `{`, `,` and `}`. */
  addBrace(char: string): void {
    if (char === "{") {
      this.#openBraces += 1;
      this.#hasBraces = true;
      this.add(BRACE);
    } else if (char === "," && this.#openBraces > 0) this.add(CHOICE);
    else {
      if (char === "}" && this.#openBraces > 0) this.#openBraces -= 1;
      this.add(char);
    }
  }

  /** Adds the value of an expansion. An unquoted value is split at blanks and globbed, as in a shell. */
  addValue(value: string, quoted: boolean): void {
    this.plain = false;
    this.#reader.spend(WORK_PER_VALUE + value.length * (quoted ? 8 : 36));
    if (quoted) {
      if (value !== "") this.add(value);
      return;
    }
    const [first = "", ...more] = this.#globbed(value).split(/[ \t\r\n]/);
    if (first !== "") this.add(first);
    for (const part of more) {
      this.split();
      if (part !== "") this.add(part);
    }
  }

  /** Marks the wildcards in a value that is not quoted. */
  #globbed(value: string): string {
    if (!value.includes("*") && !value.includes("?") && !value.includes("[")) return value;
    this.#reader.globs = true;
    return value.replaceAll("*", STAR).replaceAll("?", ANY).replaceAll("[", SET);
  }

  split(): void {
    this.finish();
    this.begun = false;
    this.#text = "";
    this.#openBraces = 0;
    this.#hasBraces = false;
  }

  finish(): void {
    if (!this.begun) return;
    if (!this.plain && COMMAND.test(this.#text)) this.#reader.takeText(this.#text);
    if (this.#hasBraces) expandBraces(this.#reader, this.#text, this.#out);
    else this.#out.push(this.#text);
  }
}
