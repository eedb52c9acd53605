import { ASTERISK, CLOSE_BRACE, COMMA, isBlank, NEWLINE, OPEN_BRACE } from "../chars";
import { cut, mark, push, pushUnits } from "../text";
import { expandBraces } from "./braces";
import { BRACE, CHOICE, STAR } from "./marks";

/** A word while it is read. An expansion may split it, so it writes into a list. */
export class Word {
  /** Nothing in it was quoted or expanded: only such a word can be a keyword. */
  plain: bool = true;
  private start: i32 = mark();
  private begun: bool = false;
  private openBraces: i32 = 0;
  private hasBraces: bool = false;

  constructor(private out: Array<string>) {}

  add(unit: i32): void {
    this.begun = true;
    push(unit);
  }

  addUnits(from: usize, count: i32): void {
    this.begun = true;
    pushUnits(from, count);
  }

  /** Also an empty pair of quotes is a word. */
  addQuotes(): void {
    this.begun = true;
    this.plain = false;
  }

  addBrace(unit: i32): void {
    if (unit === OPEN_BRACE) {
      this.openBraces++;
      this.add(BRACE);
    } else if (unit === COMMA && this.openBraces > 0) {
      this.hasBraces = true;
      this.add(CHOICE);
    } else {
      if (unit === CLOSE_BRACE && this.openBraces > 0) this.openBraces--;
      this.add(unit);
    }
  }

  /** Adds what an expansion gave: unquoted, it is split at blanks and globbed, as a shell does. */
  addValue(value: string, quoted: bool): void {
    this.plain = false;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (!quoted && (isBlank(unit) || unit === NEWLINE)) this.split();
      else if (!quoted && unit === ASTERISK) this.add(STAR);
      else this.add(unit);
    }
  }

  isBegun(): bool {
    return this.begun;
  }

  split(): void {
    this.finish();
    this.begun = false;
    this.openBraces = 0;
    this.hasBraces = false;
  }

  finish(): void {
    const text = cut(this.start);
    if (this.begun) expandBraces(text, this.hasBraces, this.out);
  }
}
