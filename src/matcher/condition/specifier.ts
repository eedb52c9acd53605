import type { JsonObject } from "../../event.ts";

/** What a condition says of an event. */
export interface Fit {
  readonly fits: boolean;
  /** For people; the rest of a sentence. */
  readonly why: string;
}

/** What stands in the parentheses of a condition, made ready for one kind of tool. */
export type Specifier = (input: JsonObject, tool: ToolInput) => Fit;

export interface ToolInput {
  /** Fields of the input in which the tool has its command, path, address or name. */
  readonly fields: readonly string[];
  readonly cwd: string | undefined;
  /** What relative paths of the input may be counted from. Default: the working directory. */
  readonly from?: readonly (string | undefined)[];
}

export type CompiledSpecifier =
  | { readonly ok: true; readonly specifier: Specifier }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** The texts in the given fields. `undefined`: there is none, or one is no text, and nothing can be said. */
export function textsIn(input: JsonObject, fields: readonly string[]): readonly string[] | undefined {
  const values = fields.map((field) => input[field]).filter((value) => value !== undefined);
  const texts = values.filter((value) => typeof value === "string" && value !== "") as string[];
  return texts.length === 0 || texts.length < values.length ? undefined : texts;
}

export function doubt(why: string): Fit {
  return { fits: true, why: `${why}: cannot be told, applies` };
}
