import type { JsonObject } from "../../event.ts";
import { cleanLine } from "../../text.ts";
import type { Steps } from "../steps.ts";
import type { ReadPath } from "./path/read-paths.ts";

/** What a condition says of an event. */
export interface Fit {
  readonly fits: boolean;
  /** For people; the rest of a sentence. */
  readonly why: string;
}

/** What stands in the parentheses of a condition, made ready for one kind of tool. */
export type Specifier = (input: JsonObject, tool: ToolInput, steps: Steps) => Fit;

export interface ToolInput {
  /** Fields of the input in which the tool has its command, path, address or name. */
  readonly fields: readonly string[];
  /** What the paths in those fields may mean. */
  readonly paths: () => readonly ReadPath[] | undefined;
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

/** The start of texts, for people. Cut first: texts of a payload may be megabytes long, and every rule shows them. */
export function shown(...texts: readonly string[]): string {
  return cleanLine(texts.map((text) => text.slice(0, 4 * MAX_SHOWN)).join(" "), MAX_SHOWN);
}

const MAX_SHOWN = 120;

export function doubt(why: string): Fit {
  return { fits: true, why: `${why}: cannot be told, applies` };
}
