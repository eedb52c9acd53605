import { Action } from "./go-action.ts";
import type { GoFields } from "./go-fields.ts";
import { PipeParser } from "./go-pipes.ts";
import { type Piece, scan, type Token } from "./go-scanner.ts";
import { Scope } from "./go-scope.ts";
import { type Node, TemplateError } from "./go-syntax.ts";

const BRANCHES = ["if", "with", "range"] as const;
/** Actions of Go's templates that are not supported, because one prompt is one template. */
const NOT_HERE = ["define", "template", "block"] as const;

type Branch = (typeof BRANCHES)[number];

/** The action that ended a list of nodes. `undefined`: the end of the text. */
type Ending = { readonly word: "else" | "end"; readonly action: Action } | undefined;

export class TemplateParser {
  readonly #pieces: readonly Piece[];
  readonly #scope: Scope;
  #next = 0;

  /** Throws a {@link TemplateError}, as `parse` does. */
  constructor(text: string, fields: GoFields) {
    this.#pieces = scan(text);
    this.#scope = new Scope(fields);
  }

  parse(): { readonly nodes: readonly Node[]; readonly shown: readonly string[] } {
    const [nodes, ending] = this.#list();
    if (ending !== undefined) {
      throw new TemplateError(`there is nothing that this ${ending.word} belongs to`, ending.action.at);
    }
    return { nodes, shown: this.#scope.seen };
  }

  #list(): readonly [readonly Node[], Ending] {
    const nodes: Node[] = [];
    while (this.#next < this.#pieces.length) {
      const piece = this.#pieces[this.#next++] as Piece;
      if (piece.kind === "text") nodes.push(piece);
      else {
        const action = new Action(piece);
        const first = action.peek();
        const word = first?.kind === "word" ? first.value : undefined;
        if (word === "else" || word === "end") {
          action.skip();
          return [nodes, { word, action }];
        }
        nodes.push(this.#action(action, word));
      }
    }
    return [nodes, undefined];
  }

  #action(action: Action, word: string | undefined): Node {
    const { at } = action;
    if (word !== undefined && among(NOT_HERE, word)) throw new TemplateError(`${word} is not available in prompts`, at);
    if (word !== undefined && among(BRANCHES, word)) {
      action.skip();
      return this.#branch(word, action, at);
    }
    if (word === "break" || word === "continue") {
      action.skip();
      action.mustEnd(word);
      if (!this.#scope.isInLoop) throw new TemplateError(`${word} is not inside a range`, at);
      return { kind: word, at };
    }
    const pipe = new PipeParser(action, this.#scope).pipe("the action");
    action.mustEnd("the action");
    return { kind: "show", pipe, at };
  }

  #branch(kind: Branch, action: Action, at: number): Node {
    return this.#scope.nested(at, () => {
      const pipe = new PipeParser(action, this.#scope).pipe(kind, kind === "range");
      action.mustEnd(kind);
      const [body, ending] = this.#scope.inside(kind, () => this.#list());
      const otherwise = this.#otherwise(kind, ending, at);
      return { kind, pipe, body, otherwise, at };
    });
  }

  #otherwise(kind: Branch, ending: Ending, at: number): readonly Node[] {
    const { word, action } = ended(kind, ending, at);
    const next: Token | undefined = action.peek();
    if (word === "else" && kind !== "range" && next?.kind === "word" && next.value === kind) {
      action.skip();
      // One `end` closes the whole `else if` chain.
      return [this.#branch(kind, action, next.at)];
    }
    action.mustEnd(word);
    if (word === "end") return [];
    const [nodes, last] = this.#scope.within(() => this.#list());
    const end = ended(kind, last, at);
    if (end.word === "else") throw new TemplateError(`this ${kind} has an else already`, end.action.at);
    end.action.mustEnd("end");
    return nodes;
  }
}

function ended(kind: Branch, ending: Ending, at: number): Exclude<Ending, undefined> {
  if (ending === undefined) throw new TemplateError(`this ${kind} has no {{end}}`, at);
  return ending;
}

function among<const Word extends string>(words: readonly Word[], word: string): word is Word {
  return (words as readonly string[]).includes(word);
}
