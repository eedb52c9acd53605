import type { JsonObject } from "../json.ts";
import type { GoFields } from "./go-fields.ts";
import { TemplateParser } from "./go-parser.ts";
import { Renderer } from "./go-renderer.ts";
import { type GoTemplate, positionOf, TemplateError } from "./go-syntax.ts";

/**
 * The part of Go's `text/template` that prompts use: fields, pipelines, `if`, `with`, `range`, variables, and text
 * functions. A template cannot reach JavaScript objects, and its work is bounded.
 */

type ParsedTemplate =
  | {
      readonly ok: true;
      readonly template: GoTemplate;
      /** The event's fields that the template uses, in order of first use. `.` means the whole event. */
      readonly fields: readonly string[];
    }
  | {
      readonly ok: false;
      readonly message: string;
      /** The line in the template. Line and column count from 1. */
      readonly line: number;
      readonly column: number;
    };

type RenderedTemplate = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** The maximum length of a template in UTF-16 units. No written prompt is this long. */
const MAX_TEMPLATE = 100_000;

/** Parses a template. Never throws. An unknown field or function is an error. */
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

/** Renders a template, at most 1 MiB. Never throws. `data` is the payload of the event. */
export function renderGoTemplate(template: GoTemplate, data: JsonObject): RenderedTemplate {
  try {
    return { ok: true, text: new Renderer(template).render(data) };
  } catch (error) {
    if (error instanceof TemplateError) {
      const { line, column } = positionOf(template.text, error.at);
      return { ok: false, message: `line ${line}, column ${column} of the template: ${error.message}` };
    }
    // The data is nested too deeply for a recursive walk.
    if (error instanceof RangeError) return { ok: false, message: "the event is nested too deeply for a template" };
    throw error;
  }
}
