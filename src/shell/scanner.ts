/** A `<<` whose body is still to come. The body is data, unless a shell turns out to read it. */
export interface Heredoc {
  readonly delimiter: string;
  /** No quotes around the delimiter: the body is expanded, and commands in it run. */
  readonly expands: boolean;
  readonly dropsTabs: boolean;
  isScript: boolean;
}

const BLANKS = /[ \t\r]+/y;
const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const BACKSLASH = 92;

/** A place in one shell text. */
export class Scanner {
  readonly text: string;
  at = 0;
  /** Here-documents whose bodies start after the next newline. */
  announced: Heredoc[] = [];
  /** The keyword that ends the innermost group has been read. */
  closed = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character; nothing at the end. */
  peek(): string | undefined {
    return this.text[this.at];
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** The text from here to the next such sign; empty if there is none. */
  textUpTo(sign: string): string {
    return this.text.slice(this.at, Math.max(this.at, this.text.indexOf(sign, this.at)));
  }

  /** Takes what a sticky pattern matches here. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return "";
    this.at = pattern.lastIndex;
    return found[0];
  }

  /** Skips blanks and continued lines. */
  skipBlanks(): void {
    const { text } = this;
    for (;;) {
      // Codes are compared at a fifth of what characters cost, and this is asked most often of all.
      const code = text.charCodeAt(this.at);
      if (code === SPACE || code === TAB || code === RETURN) {
        this.at += 1;
        if (text.charCodeAt(this.at) === SPACE) this.take(BLANKS);
      } else if (code === BACKSLASH && text.charCodeAt(this.at + 1) === NEWLINE) this.at += 2;
      else return;
    }
  }
}
