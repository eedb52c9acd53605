import type { JsonObject } from "../../json.ts";
import { cleanLine } from "../../text.ts";
import type { Steps } from "../steps.ts";

/** Whether a condition fits an event. */
export interface Fit {
  readonly fits: boolean;
  /** The explanation for users, as the rest of a sentence. */
  readonly why: string;
}

/** A compiled specifier: the text in the parentheses of a condition, for one kind of tool. */
export type Specifier = (input: JsonObject, tool: ToolInput, steps: Steps) => Fit;

interface ToolInput {
  /** Fields of the input that contain the tool's command, path, URL or name. */
  readonly fields: readonly string[];
  /** Returns what the paths in `fields` may mean. */
  readonly paths: () => readonly ReadPath[] | undefined;
}

/** A path of a tool's input. */
export interface ReadPath {
  readonly path: string;
  /** All places that the path may mean. Empty if the path is too long or contains NUL. */
  readonly places: readonly ReadPlace[];
}

/** A place that a path may mean. */
export interface ReadPlace {
  readonly place: string;
  /** The place relative to the working directory. `undefined` if the working directory or the place is unknown. */
  readonly relative: string | undefined;
}

export type CompiledSpecifier =
  | { readonly ok: true; readonly specifier: Specifier }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/**
 * Returns the texts in the given fields. Returns `undefined` if there are none, or if a field has another type, because
 * the condition then cannot be decided.
 */
export function textsIn(input: JsonObject, fields: readonly string[]): readonly string[] | undefined {
  const values = fields.map((field) => input[field]).filter((value) => value !== undefined);
  const texts = values.filter((value) => typeof value === "string" && value !== "") as string[];
  return texts.length === 0 || texts.length < values.length ? undefined : texts;
}

/**
 * Returns the start of the texts, for display. Cuts the texts first, because a payload may have megabytes and every
 * rule displays it.
 */
export function shown(...texts: readonly string[]): string {
  return cleanLine(texts.map((text) => text.slice(0, 4 * MAX_SHOWN)).join(" "), MAX_SHOWN);
}

const MAX_SHOWN = 120;

export function doubt(why: string): Fit {
  return { fits: true, why: `${why}: cannot be decided, so the rule applies` };
}
