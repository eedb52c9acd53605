import type { JsonObject } from "../json.ts";
import { FUNCTIONS, WrongValue } from "./go-functions.ts";
import { type Command, type GoTemplate, type Node, type Operand, type Pipe, TemplateError } from "./go-syntax.ts";
import {
  fieldOfStruct,
  GoStruct,
  isMap,
  isTrue,
  kindOf,
  Missing,
  sortedKeys,
  textOf,
  type Value,
} from "./go-values.ts";

const MAX_OUTPUT_BYTES = 1_048_576;
const MAX_ITERATIONS = 100_000;
/** The maximum number of steps, and of characters that functions read or write. Rendering blocks the thread. */
const MAX_WORK = 4 * MAX_OUTPUT_BYTES;
const WORK_PER_STEP = 16;

/** How the rendering of a list of nodes ended. */
type Flow = "on" | "break" | "continue";

interface Variable {
  readonly name: string;
  value: Value | Missing;
}

export class Renderer {
  readonly #template: GoTemplate;
  readonly #variables: Variable[] = [];
  readonly #written: string[] = [];
  #bytes = 0;
  #iterations = 0;
  #work = 0;
  /** The offset for error messages. */
  #at = 0;

  constructor(template: GoTemplate) {
    this.#template = template;
  }

  render(data: JsonObject): string {
    const event = new GoStruct(this.#template.fields, data);
    this.#variables.push({ name: "", value: event });
    this.#list(this.#template.nodes, event);
    return this.#written.join("");
  }

  #list(nodes: readonly Node[], dot: Value): Flow {
    for (const node of nodes) {
      const flow = this.#node(node, dot);
      if (flow !== "on") return flow;
    }
    return "on";
  }

  #node(node: Node, dot: Value): Flow {
    this.#at = node.at;
    this.#spend(WORK_PER_STEP);
    switch (node.kind) {
      case "text":
        this.#write(node.text);
        return "on";
      case "show":
        this.#show(node.pipe, dot);
        return "on";
      case "break":
      case "continue":
        return node.kind;
      default:
        return this.#inScope(() => (node.kind === "range" ? this.#range(node, dot) : this.#branch(node, dot)));
    }
  }

  #inScope(run: () => Flow): Flow {
    const depth = this.#variables.length;
    const flow = run();
    this.#variables.length = depth;
    return flow;
  }

  #show(pipe: Pipe, dot: Value): void {
    const value = this.#pipe(pipe, dot, false);
    if (pipe.variables.length > 0) {
      this.#assign(pipe, value);
      return;
    }
    this.#at = pipe.at;
    const text = textOf(this.#present(value));
    this.#spend(text.length);
    this.#write(text);
  }

  #branch(node: Extract<Node, { kind: "if" | "with" | "range" }>, dot: Value): Flow {
    const value = this.#pipe(node.pipe, dot, true);
    this.#assign(node.pipe, value);
    if (value instanceof Missing || !isTrue(value)) return this.#list(node.otherwise, dot);
    return this.#list(node.body, node.kind === "with" ? value : dot);
  }

  #range(node: Extract<Node, { kind: "if" | "with" | "range" }>, dot: Value): Flow {
    const value = this.#present(this.#pipe(node.pipe, dot, false));
    if (value === null) return this.#list(node.otherwise, dot);
    const keys = isMap(value) ? sortedKeys(value) : undefined;
    if (keys === undefined && !Array.isArray(value)) this.#refuse(`range cannot go through ${kindOf(value)}`);
    const { length } = keys ?? (value as readonly Value[]);
    if (length === 0) return this.#list(node.otherwise, dot);
    const depth = this.#variables.length;
    // Items are converted one at a time, so that a loop that breaks early does not convert all of them.
    for (let at = 0; at < length; at++) {
      this.#iterations++;
      if (this.#iterations > MAX_ITERATIONS) this.#refuse(`range repeats more than ${MAX_ITERATIONS} times`);
      const key = keys?.[at] ?? at;
      const item = (value as Readonly<Record<string | number, Value>>)[key] as Value;
      this.#setLoopVariables(node.pipe, key, item);
      const flow = this.#list(node.body, item);
      this.#variables.length = depth;
      if (flow === "break") break;
    }
    return "on";
  }

  #setLoopVariables({ variables, declares }: Pipe, key: Value, item: Value): void {
    const [first, second] = variables;
    const values: readonly (readonly [string | undefined, Value])[] =
      second === undefined
        ? [[first, item]]
        : [
            [first, key],
            [second, item],
          ];
    for (const [name, value] of values) if (name !== undefined) this.#set(name, value, declares);
  }

  #assign({ variables, declares }: Pipe, value: Value | Missing): void {
    for (const name of variables) this.#set(name, value, declares);
  }

  #set(name: string, value: Value | Missing, declares: boolean): void {
    const variable = declares ? undefined : this.#variables.findLast((one) => one.name === name);
    if (variable === undefined) this.#variables.push({ name, value });
    else variable.value = value;
  }

  /** Evaluates a pipe. With `asks`, a missing value is not an error, because the caller only tests for existence. */
  #pipe(pipe: Pipe, dot: Value, asks: boolean): Value | Missing {
    let value: Value | Missing | undefined;
    for (const command of pipe.commands) value = this.#command(command, dot, value, asks);
    return value as Value | Missing;
  }

  #command(command: Command, dot: Value, piped: Value | Missing | undefined, asks: boolean): Value | Missing {
    this.#spend(WORK_PER_STEP);
    if (command.kind === "value") return this.#operand(command.operand, dot, asks);
    const { name, args, at } = command;
    if (name === "and" || name === "or") return this.#choose(name === "or", args, dot, piped);
    const values = args.map((operand) => this.#given(this.#operand(operand, dot, asks), asks, operand.at));
    if (piped !== undefined) values.push(this.#given(piped, asks, at));
    this.#at = at;
    try {
      return FUNCTIONS[name]!.run(values, (units) => this.#spend(units));
    } catch (error) {
      if (error instanceof WrongValue) this.#refuse(error.message);
      throw error;
    }
  }

  /** Evaluates `and` and `or`: returns the first value that decides, otherwise the last. Skips later values. */
  #choose(
    settledBy: boolean,
    args: readonly Operand[],
    dot: Value,
    piped: Value | Missing | undefined,
  ): Value | Missing {
    let value: Value | Missing = null;
    for (const operand of args) {
      value = this.#operand(operand, dot, true);
      if (isTrue(value) === settledBy) return value;
    }
    return piped === undefined ? value : piped;
  }

  /** Prepares a value as an argument. */
  #given(value: Value | Missing, asks: boolean, at: number): Value {
    if (value instanceof Missing && asks) return null;
    this.#at = at;
    return this.#present(value);
  }

  #operand(operand: Operand, dot: Value, asks: boolean): Value | Missing {
    switch (operand.kind) {
      case "literal":
        return operand.value;
      case "dot":
        return this.#follow(dot, operand);
      case "variable":
        return this.#follow(this.#variables.findLast(({ name }) => name === operand.name)?.value ?? null, operand);
      case "pipe":
        return this.#follow(this.#pipe(operand.pipe, dot, asks), operand);
      default:
        return operand satisfies never;
    }
  }

  #follow(start: Value | Missing, { path, at }: Exclude<Operand, { kind: "literal" }>): Value | Missing {
    let value = start;
    for (const name of path) {
      if (value instanceof Missing) return value;
      this.#at = at;
      value = this.#field(value, name);
    }
    return value;
  }

  #field(value: Value, name: string): Value | Missing {
    if (value instanceof GoStruct) {
      const field = fieldOfStruct(value, name);
      if (field === undefined) this.#refuse(`there is no field ${name}`);
      return field;
    }
    if (!isMap(value)) this.#refuse(`there is no ${name} in ${kindOf(value)}`);
    return Object.hasOwn(value, name) ? (value[name] as Value) : new Missing(name);
  }

  #present(value: Value | Missing): Value {
    if (value instanceof Missing)
      this.#refuse(`there is no ${value.name}; test for it with if or with before you use it`);
    return value;
  }

  #write(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > MAX_OUTPUT_BYTES) this.#refuse(`the text is longer than ${MAX_OUTPUT_BYTES} bytes`);
    this.#written.push(text);
  }

  #spend(units: number): void {
    this.#work += units;
    if (this.#work > MAX_WORK) this.#refuse(`the template goes through more than ${MAX_WORK} characters`);
  }

  #refuse(message: string): never {
    throw new TemplateError(message, this.#at);
  }
}
