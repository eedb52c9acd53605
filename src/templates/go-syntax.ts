import type { GoFields } from "./go-fields.ts";

/** The syntax tree of a template. `at` is an offset into the text. */

export type Literal = string | number | boolean | null;

export type Operand =
  | { readonly kind: "literal"; readonly value: Literal; readonly at: number }
  /** A path `.A.B`. Without names, the dot itself. */
  | { readonly kind: "dot"; readonly path: readonly string[]; readonly at: number }
  | { readonly kind: "variable"; readonly name: string; readonly path: readonly string[]; readonly at: number }
  | { readonly kind: "pipe"; readonly pipe: Pipe; readonly path: readonly string[]; readonly at: number };

/** A value or a function call. */
export type Command =
  | { readonly kind: "value"; readonly operand: Operand; readonly at: number }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Operand[]; readonly at: number };

export interface Pipe {
  readonly commands: readonly [Command, ...Command[]];
  /** The variables that are set to the value: declared by `:=`, assigned by `=`. */
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
  /** The fields that the template may use. */
  readonly fields: GoFields;
}

/** Thrown for a mistake at a place of the template. */
export class TemplateError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Converts an offset. Line and column count from 1; columns are UTF-16 units. */
export function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}
