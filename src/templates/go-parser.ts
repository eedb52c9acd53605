import type { GoFields } from "./go-fields.ts";
import { FUNCTIONS } from "./go-functions.ts";
import { type Piece, scan, type Token } from "./go-scanner.ts";
import { type Command, type Literal, type Node, type Operand, type Pipe, TemplateError } from "./go-syntax.ts";

const MAX_NESTING = 50;
const BRANCHES = ["if", "with", "range"] as const;
const ENDINGS = ["else", "end"] as const;
/** Of Go's, but one prompt is one template. */
const NOT_HERE = ["define", "template", "block"] as const;

type Branch = (typeof BRANCHES)[number];

/** The action that a list of nodes ended with; `undefined`: the text did. */
type Ending = { readonly word: (typeof ENDINGS)[number]; readonly at: number } | undefined;

export class TemplateParser {
  readonly #text: string;
  readonly #pieces: readonly Piece[];
  readonly #fields: GoFields;
  readonly #shown = new Set<string>();
  readonly #variables: string[] = [];
  #piece = 0;
  #tokens: readonly Token[] = [];
  #token = 0;
  /** Where the action ends that is read. */
  #actionEnd = 0;
  #nesting = 0;
  #loops = 0;
  /** Within `with` and `range`, a dot is something else than the event. */
  #dotIsEvent = true;

  constructor(text: string, fields: GoFields) {
    this.#text = text;
    this.#pieces = scan(text);
    this.#fields = fields;
  }

  parse(): { readonly nodes: readonly Node[]; readonly shown: readonly string[] } {
    const [nodes, ending] = this.#list();
    if (ending !== undefined) throw new TemplateError(`there is nothing for this ${ending.word} to end`, ending.at);
    return { nodes, shown: [...this.#shown] };
  }

  #list(): readonly [Node[], Ending] {
    const nodes: Node[] = [];
    while (this.#piece < this.#pieces.length) {
      const piece = this.#pieces[this.#piece++] as Piece;
      if (piece.kind === "text") {
        nodes.push(piece);
        continue;
      }
      this.#open(piece);
      const node = this.#action(piece.at);
      if (!("kind" in node)) return [nodes, node];
      nodes.push(node);
    }
    return [nodes, undefined];
  }

  #open(piece: Extract<Piece, { kind: "action" }>): void {
    this.#tokens = piece.tokens;
    this.#token = 0;
    this.#actionEnd = piece.end;
  }

  #action(at: number): Node | Exclude<Ending, undefined> {
    const first = this.#peek();
    const word = first?.kind === "word" ? first.value : undefined;
    if (word !== undefined) {
      if (among(BRANCHES, word)) {
        this.#token++;
        return this.#branch(word, at);
      }
      if (among(ENDINGS, word)) {
        this.#token++;
        if (word === "end") this.#close("end");
        return { word, at };
      }
      if (word === "break" || word === "continue") {
        this.#token++;
        this.#close(word);
        if (this.#loops === 0) throw new TemplateError(`${word} stands in no range`, at);
        return { kind: word, at };
      }
      if (among(NOT_HERE, word)) throw new TemplateError(`${word} is not available in prompts`, at);
    }
    const pipe = this.#pipe("the action", at);
    this.#close("the action");
    return { kind: "show", pipe, at };
  }

  #branch(kind: Branch, at: number): Node {
    this.#enter(at);
    const scope = this.#variables.length;
    const outerDot = this.#dotIsEvent;
    const pipe = this.#pipe(kind, at, kind === "range");
    this.#close(kind);
    const inner = this.#variables.length;

    if (kind !== "if") this.#dotIsEvent = false;
    if (kind === "range") this.#loops++;
    const [body, ending] = this.#list();
    if (kind === "range") this.#loops--;
    this.#dotIsEvent = outerDot;
    this.#variables.length = inner;

    if (ending === undefined) throw new TemplateError(`this ${kind} has no {{end}}`, at);
    const otherwise = ending.word === "else" ? this.#otherwise(kind, at) : undefined;
    this.#variables.length = scope;
    this.#nesting--;
    return { kind, pipe, body, otherwise, at };
  }

  #otherwise(kind: Branch, at: number): readonly Node[] {
    const next = this.#peek();
    if (next?.kind === "word" && kind !== "range" && next.value === kind) {
      this.#token++;
      // One `end` closes them all.
      return [this.#branch(kind, next.at)];
    }
    this.#close("else");
    const [nodes, ending] = this.#list();
    if (ending === undefined) throw new TemplateError(`this ${kind} has no {{end}}`, at);
    if (ending.word === "else") throw new TemplateError(`this ${kind} has an else already`, ending.at);
    return nodes;
  }

  #pipe(what: string, at: number, takesTwo = false): Pipe {
    const target = this.#target(takesTwo);
    const first = this.#peek();
    const commands: Command[] = [];
    while (true) {
      commands.push(this.#command(what, commands.length > 0));
      if (!this.#takes("|")) break;
    }
    for (const name of target.declares ? target.variables : []) this.#variables.push(name);
    return { commands: commands as [Command, ...Command[]], ...target, at: first?.at ?? at };
  }

  /** `$x :=`, `$x =`, and for `range` `$i, $x :=`. */
  #target(takesTwo: boolean): Pick<Pipe, "variables" | "declares"> {
    const start = this.#token;
    const variables: Token[] = [];
    do {
      const token = this.#peek();
      if (token?.kind !== "variable") break;
      this.#token++;
      variables.push(token);
    } while (takesTwo && variables.length < 2 && this.#takes(","));
    const declares = variables.length > 0 && this.#takes(":=");
    if (!declares && !(variables.length > 0 && this.#takes("="))) {
      if (variables.length === 2) throw new TemplateError("after two variables comes :=", this.#here());
      this.#token = start;
      return { variables: [], declares: false };
    }
    if (!declares) for (const { value, at } of variables) this.#checkVariable(value, at);
    return { variables: variables.map(({ value }) => value), declares };
  }

  #command(what: string, isPiped: boolean): Command {
    const first = this.#peek();
    if (first === undefined) throw new TemplateError(`${what} lacks a value`, this.#here());
    if (first.kind === "word" && !isConstant(first.value)) {
      this.#token++;
      return this.#call(first, isPiped);
    }
    const operand = this.#operand();
    if (operand === undefined) throw new TemplateError(`${what} lacks a value`, first.at);
    if (isPiped) throw new TemplateError("what stands behind a | must be a function", first.at);
    if (operand.kind === "literal" && operand.value === null) throw new TemplateError("nil is no value", first.at);
    const next = this.#peek();
    if (next !== undefined && this.#startsOperand(next)) {
      throw new TemplateError("only a function takes further values", next.at);
    }
    return { kind: "value", operand, at: first.at };
  }

  #call({ value: name, at }: Token, isPiped: boolean): Command {
    if (!Object.hasOwn(FUNCTIONS, name)) {
      const known = Object.keys(FUNCTIONS).join(", ");
      throw new TemplateError(`there is no function ${name}; there are ${known}`, at);
    }
    const args: Operand[] = [];
    while (true) {
      const next = this.#peek();
      if (next === undefined || !this.#startsOperand(next)) break;
      if (!next.spaced) throw new TemplateError("a space is missing before this", next.at);
      args.push(this.#operand() as Operand);
    }
    const [least, most] = FUNCTIONS[name]!.takes;
    const count = args.length + (isPiped ? 1 : 0);
    if (count < least || count > most) {
      const wanted =
        least === most ? String(least) : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
      throw new TemplateError(`${name} takes ${wanted} values, not ${count}`, at);
    }
    return { kind: "call", name, args, at };
  }

  #startsOperand(token: Token): boolean {
    return token.kind !== "sign" || token.value === "(" || token.value === "." || token.value === "$";
  }

  #operand(): Operand | undefined {
    const token = this.#peek();
    if (token === undefined || !this.#startsOperand(token)) return undefined;
    this.#token++;
    const { at } = token;
    switch (token.kind) {
      case "text":
        return { kind: "literal", value: token.value, at };
      case "number":
        return { kind: "literal", value: numberOf(token), at };
      case "word":
        return this.#word(token);
      case "field":
        return this.#dot([token.value, ...this.#path()], at);
      case "variable":
        this.#checkVariable(token.value, at);
        return { kind: "variable", name: token.value, path: this.#path(), at };
      case "sign":
        if (token.value === ".") return this.#dot([], at);
        if (token.value === "$") return this.#event(this.#path(), at);
        return this.#parenthesis(at);
      default:
        return token.kind satisfies never;
    }
  }

  #word({ value, at }: Token): Operand {
    if (isConstant(value)) return { kind: "literal", value: CONSTANTS[value] as Literal, at };
    if (!Object.hasOwn(FUNCTIONS, value)) throw new TemplateError(`there is no function ${value}`, at);
    throw new TemplateError(`a function among values stands in parentheses: (${value} …)`, at);
  }

  #dot(path: readonly string[], at: number): Operand {
    if (this.#dotIsEvent) this.#see(path, at);
    return { kind: "dot", path, at };
  }

  #event(path: readonly string[], at: number): Operand {
    this.#see(path, at);
    return { kind: "variable", name: "", path, at };
  }

  #see([field]: readonly string[], at: number): void {
    if (field !== undefined && !Object.hasOwn(this.#fields, field)) {
      throw new TemplateError(`the event has no field ${field}${nearField(field, this.#fields)}`, at);
    }
    this.#shown.add(field ?? ".");
  }

  #parenthesis(at: number): Operand {
    this.#enter(at);
    const pipe = this.#pipe("the parenthesis", at);
    if (pipe.variables.length > 0) throw new TemplateError("no variable can be set in parentheses", at);
    if (!this.#takes(")")) throw new TemplateError("the parenthesis is not closed", at);
    this.#nesting--;
    return { kind: "pipe", pipe, path: this.#path(), at };
  }

  /** Names that follow without a space. */
  #path(): readonly string[] {
    const path: string[] = [];
    while (true) {
      const token = this.#peek();
      if (token?.kind !== "field" || token.spaced) return path;
      this.#token++;
      path.push(token.value);
    }
  }

  #checkVariable(name: string, at: number): void {
    if (!this.#variables.includes(name)) throw new TemplateError(`there is no variable $${name} here`, at);
  }

  #enter(at: number): void {
    this.#nesting++;
    if (this.#nesting > MAX_NESTING) {
      throw new TemplateError(`nested more than ${MAX_NESTING} levels deep`, at);
    }
  }

  #close(what: string): void {
    const rest = this.#peek();
    if (rest !== undefined) throw new TemplateError(`${what} should end before this`, rest.at);
  }

  #takes(sign: string): boolean {
    const token = this.#peek();
    if (token?.kind !== "sign" || token.value !== sign) return false;
    this.#token++;
    return true;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#token];
  }

  #here(): number {
    return this.#peek()?.at ?? Math.min(this.#actionEnd, this.#text.length);
  }
}

const CONSTANTS: Readonly<Record<string, Literal>> = { true: true, false: false, nil: null };

function isConstant(word: string): boolean {
  return Object.hasOwn(CONSTANTS, word);
}

function among<const Word extends string>(words: readonly Word[], word: string): word is Word {
  return (words as readonly string[]).includes(word);
}

function numberOf({ value, at }: Token): number {
  const digits = value.replaceAll("_", "").replace(/^\+/, "");
  const octal = /^(-?)0([0-7]+)$/.exec(digits);
  const negative = /^-(0[xob].*)$/i.exec(digits);
  const number =
    octal !== null
      ? Number.parseInt(`${octal[1]}${octal[2]}`, 8)
      : negative !== null
        ? -Number(negative[1])
        : Number(digits);
  if (!Number.isFinite(number)) throw new TemplateError("this number is too large", at);
  return number;
}

/** A payload's own spelling is what people try first. */
function nearField(field: string, fields: GoFields): string {
  const same = (name: string): string => name.replaceAll("_", "").toLowerCase();
  const near = Object.keys(fields).find((name) => same(name) === same(field));
  return near === undefined ? "" : `; there is ${near}`;
}
