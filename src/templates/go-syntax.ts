import type { GoFields } from "./go-fields.ts";

/** A template as the parser leaves it. `at` is an offset into its text. */

export type Literal = string | number | boolean | null;

export type Operand =
  | { readonly kind: "literal"; readonly value: Literal; readonly at: number }
  /** `.A.B`: without names, what the template is about at that place. */
  | { readonly kind: "dot"; readonly path: readonly string[]; readonly at: number }
  | { readonly kind: "variable"; readonly name: string; readonly path: readonly string[]; readonly at: number }
  | { readonly kind: "pipe"; readonly pipe: Pipe; readonly path: readonly string[]; readonly at: number };

/** A value, or a function of some. */
export type Command =
  | { readonly kind: "value"; readonly operand: Operand; readonly at: number }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Operand[]; readonly at: number };

export interface Pipe {
  readonly commands: readonly [Command, ...Command[]];
  /** Variables that take the value, by `:=` or, if they are there already, by `=`. */
  readonly variables: readonly string[];
  readonly declares: boolean;
  readonly at: number;
}

export type Node =
  | { readonly kind: "text"; readonly text: string; readonly at: number }
  | { readonly kind: "show"; readonly pipe: Pipe; readonly at: number }
  | {
      readonly kind: "if" | "with" | "range";
      readonly pipe: Pipe;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
      readonly at: number;
    }
  | { readonly kind: "break" | "continue"; readonly at: number };

export interface GoTemplate {
  readonly text: string;
  readonly nodes: readonly Node[];
  /** Of what it is about. */
  readonly fields: GoFields;
}

/** Something that is wrong at a place of the template. */
export class TemplateError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Both count from 1; the column in UTF-16 units. */
export function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}
