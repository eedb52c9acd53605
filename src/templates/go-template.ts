import type { JsonObject } from "../event.ts";
import type { GoFields } from "./go-fields.ts";
import { TemplateParser } from "./go-parser.ts";
import { Renderer } from "./go-renderer.ts";
import { type GoTemplate, positionOf, TemplateError } from "./go-syntax.ts";

/**
 * The part of Go's `text/template` that prompts are written in: fields, pipelines, `if`, `with`, `range`, variables,
 * and functions that make text. Nothing of JavaScript can be reached from it, and its work is bounded.
 */

export type ParsedTemplate =
  | {
      readonly ok: true;
      readonly template: GoTemplate;
      /** The fields of the event that it looks at, in the order of their first use; `.` is the event as a whole. */
      readonly fields: readonly string[];
    }
  | {
      readonly ok: false;
      readonly message: string;
      /** Of the template; both count from 1. */
      readonly line: number;
      readonly column: number;
    };

export type RenderedTemplate =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** Longer than any prompt that somebody wrote. In UTF-16 units. */
const MAX_TEMPLATE = 100_000;

/** Never throws. A field that `fields` does not have is an error, and so is a function that there is not. */
export function parseGoTemplate(text: string, fields: GoFields): ParsedTemplate {
  try {
    if (text.length > MAX_TEMPLATE) {
      throw new TemplateError(`the template has ${text.length} characters; ${MAX_TEMPLATE} are allowed`, 0);
    }
    const { nodes, shown } = new TemplateParser(text, fields).parse();
    return { ok: true, template: { text, nodes, fields }, fields: shown };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { ok: false, message: error.message, ...positionOf(text, error.at) };
  }
}

/** Never throws, and never gives more than a mebibyte. `data` is the payload of the event. */
export function renderGoTemplate(template: GoTemplate, data: JsonObject): RenderedTemplate {
  try {
    return { ok: true, text: new Renderer(template).render(data) };
  } catch (error) {
    if (error instanceof TemplateError) {
      const { line, column } = positionOf(template.text, error.at);
      return { ok: false, message: `line ${line}, column ${column} of the template: ${error.message}` };
    }
    // Data that is nested so deeply that nothing can walk through it.
    if (error instanceof RangeError) return { ok: false, message: "the event is nested too deeply for a template" };
    throw error;
  }
}
