/** A `<<` whose body has not been read yet. The body is data, unless a shell reads it. */
export interface Heredoc {
  readonly delimiter: string;
  /** Whether the delimiter is unquoted, so that the body is expanded and commands in it run. */
  readonly expands: boolean;
  readonly dropsTabs: boolean;
  isScript: boolean;
  /** Takes the body, if a command reads it as data that matters. */
  takeBody?: (body: string) => void;
}

const BLANKS = /[ \t\r]+/y;
const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const BACKSLASH = 92;

/** A position in a shell text. */
export class Scanner {
  readonly text: string;
  at = 0;
  /** Here-documents whose bodies start after the next newline. */
  announced: Heredoc[] = [];
  /** Whether the keyword that ends the innermost group has been read. */
  closed = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the next character, or `undefined` at the end. */
  peek(): string | undefined {
    return this.text[this.at];
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Returns the text up to the next `sign`. Returns an empty text if there is none. */
  textUpTo(sign: string): string {
    return this.text.slice(this.at, Math.max(this.at, this.text.indexOf(sign, this.at)));
  }

  /** Takes and returns the text that a sticky pattern matches here. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return "";
    this.at = pattern.lastIndex;
    return found[0];
  }

  /** Skips blanks and line continuations. */
  skipBlanks(): void {
    const { text } = this;
    for (;;) {
      // Codes are compared, because this costs a fifth of comparing characters and no other code runs more often.
      const code = text.charCodeAt(this.at);
      if (code === SPACE || code === TAB || code === RETURN) {
        this.at += 1;
        if (text.charCodeAt(this.at) === SPACE) this.take(BLANKS);
      } else if (code === BACKSLASH && text.charCodeAt(this.at + 1) === NEWLINE) this.at += 2;
      else return;
    }
  }
}
