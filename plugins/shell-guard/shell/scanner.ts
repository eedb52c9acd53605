import { BACKSLASH, END, isBlank, NEWLINE } from "../chars";
import { unitAt } from "../units";
import { stopped } from "../verdict";
import { Heredoc } from "./heredoc";

// Most texts have none: they share this list, to which nothing may be added.
const NO_DOCUMENTS: Array<Heredoc> = [];

/** A place in one shell text. */
export class Scanner {
  pos: i32 = 0;
  /** Here-documents that were announced and whose bodies start after the next newline. */
  announced: Array<Heredoc> = NO_DOCUMENTS;
  /** The keyword that ends the innermost group has been read. */
  closed: bool = false;

  end: i32;

  constructor(public text: string) {
    this.end = text.length;
  }

  announce(document: Heredoc): void {
    if (this.announced === NO_DOCUMENTS) this.announced = [];
    this.announced.push(document);
  }

  peek(ahead: i32 = 0): i32 {
    const at = this.pos + ahead;
    return stopped() || at >= this.end ? END : unitAt(this.text, at);
  }

  /** Skips blanks and continued lines. */
  skipBlanks(): void {
    if (stopped()) return;
    const text = this.text;
    const end = this.end;
    let at = this.pos;
    while (true) {
      while (at < end && isBlank(unitAt(text, at))) at++;
      if (at + 1 >= end || unitAt(text, at) !== BACKSLASH || unitAt(text, at + 1) !== NEWLINE) break;
      at += 2;
    }
    this.pos = at;
  }
}

let depth: i32 = 0;

const MAX_DEPTH: i32 = 32;

export function resetNesting(): void {
  depth = 0;
}

/** Says whether one more level may be read. Pair with leave(). */
export function enter(): bool {
  return ++depth <= MAX_DEPTH;
}

export function leave(): void {
  depth--;
}
