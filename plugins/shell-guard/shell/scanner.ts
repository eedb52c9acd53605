import { END, isBlank, NEWLINE } from "../chars";
import { stopped } from "../verdict";
import { Heredoc } from "./heredoc";

/** A place in one shell text. */
export class Scanner {
  pos: i32 = 0;
  /** Here-documents that were announced and whose bodies start after the next newline. */
  announced: Array<Heredoc> = [];
  /** The keyword that ends the innermost group has been read. */
  closed: bool = false;

  constructor(public text: string) {}

  peek(ahead: i32 = 0): i32 {
    return stopped() ? END : this.text.charCodeAt(this.pos + ahead);
  }

  /** Skips blanks and continued lines. */
  skipBlanks(): void {
    while (true) {
      const unit = this.peek();
      if (isBlank(unit)) this.pos++;
      else if (unit === 0x5c && this.peek(1) === NEWLINE) this.pos += 2;
      else return;
    }
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
