import type { Piece, Token } from "./go-scanner.ts";
import { TemplateError } from "./go-syntax.ts";

/** The words of one action, from the first to the last. */
export class Action {
  readonly at: number;
  readonly #tokens: readonly Token[];
  readonly #end: number;
  #next = 0;

  constructor({ tokens, at, end }: Extract<Piece, { kind: "action" }>) {
    this.#tokens = tokens;
    this.at = at;
    this.#end = end;
  }

  /** The next word, which stays the next. */
  peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  skip(): void {
    this.#next++;
  }

  takes(sign: string): boolean {
    const token = this.peek();
    if (token?.kind !== "sign" || token.value !== sign) return false;
    this.skip();
    return true;
  }

  /** Reads two variables or another beginning, or goes back to where it began. */
  attempt<Result>(read: () => Result | undefined): Result | undefined {
    const start = this.#next;
    const result = read();
    if (result === undefined) this.#next = start;
    return result;
  }

  /** Where the next word stands, or would. */
  here(): number {
    return this.peek()?.at ?? this.#end - 2;
  }

  mustEnd(what: string): void {
    const rest = this.peek();
    if (rest !== undefined) throw new TemplateError(`${what} should end before this`, rest.at);
  }
}
