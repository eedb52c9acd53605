import type { Action } from "./go-action.ts";
import { FUNCTIONS } from "./go-functions.ts";
import type { Token } from "./go-scanner.ts";
import type { Scope } from "./go-scope.ts";
import { type Command, type Literal, type Operand, type Pipe, TemplateError } from "./go-syntax.ts";

const CONSTANTS: Readonly<Record<string, Literal>> = { true: true, false: false, nil: null };

/** Parses expressions: `.ToolInput | toJSON`, `eq .ToolName "shell"`, `$x := len .Messages`. */
export class PipeParser {
  readonly #action: Action;
  readonly #scope: Scope;

  constructor(action: Action, scope: Scope) {
    this.#action = action;
    this.#scope = scope;
  }

  /** Parses a pipe. `what` names the action in messages. `takesTwo` allows two variables before the expression. */
  pipe(what: string, takesTwo = false): Pipe {
    const at = this.#action.here();
    const target = this.#action.attempt(() => this.#target(takesTwo)) ?? { variables: [], declares: false };
    const commands: [Command, ...Command[]] = [this.#command(what, false)];
    while (this.#action.takes("|")) commands.push(this.#command(what, true));
    if (target.declares) this.#scope.declare(target.variables, at);
    return { commands, ...target, at };
  }

  /** Parses `$x :=`, `$x =`, and for `range` `$i, $x :=`. */
  #target(takesTwo: boolean): Pick<Pipe, "variables" | "declares"> | undefined {
    const variables: Token[] = [];
    do {
      const token = this.#action.peek();
      if (token?.kind !== "variable") break;
      this.#action.skip();
      variables.push(token);
    } while (takesTwo && variables.length < 2 && this.#action.takes(","));
    if (variables.length === 0) return undefined;
    const names = variables.map(({ value }) => value);
    if (this.#action.takes(":=")) return { variables: names, declares: true };
    if (this.#action.takes("=")) {
      for (const { value, at } of variables) this.#scope.mustHave(value, at);
      return { variables: names, declares: false };
    }
    if (variables.length === 2) throw new TemplateError("after two variables comes :=", this.#action.here());
    return undefined;
  }

  #command(what: string, isPiped: boolean): Command {
    const first = this.#action.peek();
    if (first?.kind === "word" && !Object.hasOwn(CONSTANTS, first.value)) return this.#call(first, isPiped);
    const operand = this.#operand();
    if (operand === undefined) throw new TemplateError(`${what} lacks a value`, this.#action.here());
    const { at } = operand;
    if (isPiped) throw new TemplateError("only a function may follow a |", at);
    if (operand.kind === "literal" && operand.value === null) throw new TemplateError("nil is not a value", at);
    const next = this.#action.peek();
    if (next !== undefined && startsOperand(next)) {
      throw new TemplateError("only a function can be followed by values", next.at);
    }
    return { kind: "value", operand, at };
  }

  #call({ value: name, at }: Token, isPiped: boolean): Command {
    if (!Object.hasOwn(FUNCTIONS, name)) {
      const known = Object.keys(FUNCTIONS).join(", ");
      throw new TemplateError(`there is no function ${name}; there are ${known}`, at);
    }
    this.#action.skip();
    const args: Operand[] = [];
    for (let next = this.#action.peek(); next !== undefined && startsOperand(next); next = this.#action.peek()) {
      if (!next.spaced) throw new TemplateError("a space is missing before this", next.at);
      args.push(this.#operand() as Operand);
    }
    const count = args.length + (isPiped ? 1 : 0);
    const [least, most] = FUNCTIONS[name]!.takes;
    if (count < least || count > most) {
      throw new TemplateError(`${name} takes ${span(least, most)} values, not ${count}`, at);
    }
    return { kind: "call", name, args, at };
  }

  #operand(): Operand | undefined {
    const token = this.#action.peek();
    if (token === undefined || !startsOperand(token)) return undefined;
    this.#action.skip();
    const { kind, value, at } = token;
    switch (kind) {
      case "text":
        return { kind: "literal", value, at };
      case "number":
        return { kind: "literal", value: numberOf(token), at };
      case "word":
        return constantOf(token);
      case "field":
        return this.#dot([value, ...this.#path()], at);
      case "variable":
        this.#scope.mustHave(value, at);
        return { kind: "variable", name: value, path: this.#path(), at };
      case "sign":
        if (value === ".") return this.#dot([], at);
        return value === "$" ? this.#event(at) : this.#parenthesis(at);
      default:
        return kind satisfies never;
    }
  }

  #dot(path: readonly string[], at: number): Operand {
    if (this.#scope.dotIsEvent) this.#scope.see(path, at);
    return { kind: "dot", path, at };
  }

  #event(at: number): Operand {
    const path = this.#path();
    this.#scope.see(path, at);
    return { kind: "variable", name: "", path, at };
  }

  #parenthesis(at: number): Operand {
    const pipe = this.#scope.nested(at, () => this.pipe("the parenthesis"));
    if (pipe.variables.length > 0) throw new TemplateError("no variable can be set in parentheses", at);
    if (!this.#action.takes(")")) throw new TemplateError("the parenthesis is not closed", at);
    return { kind: "pipe", pipe, path: this.#path(), at };
  }

  /** Parses field names that follow without a space. */
  #path(): readonly string[] {
    const path: string[] = [];
    for (let next = this.#action.peek(); next?.kind === "field" && !next.spaced; next = this.#action.peek()) {
      this.#action.skip();
      path.push(next.value);
    }
    return path;
  }
}

function startsOperand({ kind, value }: Token): boolean {
  return kind !== "sign" || value === "(" || value === "." || value === "$";
}

function constantOf({ value, at }: Token): Operand {
  if (Object.hasOwn(CONSTANTS, value)) return { kind: "literal", value: CONSTANTS[value] as Literal, at };
  if (!Object.hasOwn(FUNCTIONS, value)) throw new TemplateError(`there is no function ${value}`, at);
  throw new TemplateError(`a function among values needs parentheses: (${value} …)`, at);
}

/** Reads Go's number forms: decimal, `0x`, `0b`, `0o`, and octal with a leading zero. */
function numberOf({ value, at }: Token): number {
  const [, sign, digits = ""] = /^([+-]?)(.*)$/.exec(value.replaceAll("_", "")) ?? [];
  const size = Number(digits.replace(/^0(?=[0-7]+$)/, "0o"));
  if (!Number.isFinite(size)) throw new TemplateError("this number cannot be read", at);
  return sign === "-" ? -size : size;
}

function span(least: number, most: number): string {
  if (least === most) return String(least);
  return most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
}
