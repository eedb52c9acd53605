import type { Piece, Token } from "./go-scanner.ts";
import { TemplateError } from "./go-syntax.ts";

/** The tokens of one action, in order. */
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

  /** Returns the next token without consuming it. */
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

  /** Runs `read`. If `read` returns `undefined`, goes back to the token where it started. */
  attempt<Result>(read: () => Result | undefined): Result | undefined {
    const start = this.#next;
    const result = read();
    if (result === undefined) this.#next = start;
    return result;
  }

  /** The offset of the next token, or of the end of the action. */
  here(): number {
    return this.peek()?.at ?? this.#end - 2;
  }

  mustEnd(what: string): void {
    const rest = this.peek();
    if (rest !== undefined) throw new TemplateError(`${what} should end before this`, rest.at);
  }
}
