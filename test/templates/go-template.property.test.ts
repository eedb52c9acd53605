import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/json.ts";
import { GO_FIELDS } from "../../src/templates/go-fields.ts";
import { parseGoTemplate, renderGoTemplate } from "../../src/templates/go-template.ts";
import fc from "../helpers/fc.ts";

const MAX_OUTPUT_BYTES = 1_048_576;

/** Words of which templates are made, so that many of the results can be parsed. */
const words = fc.constantFrom(
  ..."{{ }} {{- -}} if else end with range break . $ $x := = | ( ) , .ToolName .ToolInput .Messages .Nope".split(" "),
  ..."toJSON truncate eq and or not len index print printf 1 -1 0x1 'a' nil true /* */".split(" "),
  ' "a" ',
  "`a`",
  "\n",
  " ",
  "text",
  "{{ .ToolName }}",
  "{{ if .ToolInput.cmd }}",
  "{{ range $x := .ToolInput }}",
  "{{ $x := 1 }}",
  "{{ end }}",
);
const templates = fc.array(fc.oneof(words, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 25 });
const payloads = fc.dictionary(
  fc.constantFrom("tool_name", "tool_input", "messages"),
  fc.jsonValue(),
) as fc.Arbitrary<JsonObject>;

function render(text: string, data: JsonObject): string | undefined {
  const parsed = parseGoTemplate(text, GO_FIELDS);
  if (!parsed.ok) {
    expect(parsed.line).toBeGreaterThan(0);
    expect(parsed.column).toBeGreaterThan(0);
    return undefined;
  }
  const rendered = renderGoTemplate(parsed.template, data);
  return rendered.ok ? rendered.text : undefined;
}

describe("templates", () => {
  test("never throw, and never output more than the limit, for any template and event", () => {
    fc.assert(
      fc.property(templates, payloads, (parts, data) => {
        const text = render(parts.join(""), data);
        expect(Buffer.byteLength(text ?? "")).toBeLessThanOrEqual(MAX_OUTPUT_BYTES);
      }),
      { numRuns: 2_000 },
    );
  });

  test("without actions are the text that they give", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }).filter((text) => !text.includes("{{")),
        (text) => {
          expect(render(text, {})).toBe(text);
        },
      ),
    );
  });

  test("show any text of an event unchanged, braces included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (prompt) => {
        expect(render("<{{ .Prompt }}>", { prompt })).toBe(`<${prompt}>`);
      }),
    );
  });

  test("write JSON that is read as the same value, without a character that HTML uses", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const given = JSON.parse(JSON.stringify(value)) as JsonValue;
        const text = render("{{ .ToolResponse | toJSON }}", { tool_response: given }) as string;
        expect(JSON.parse(text)).toEqual(given);
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
  });

  test("cut texts at bytes and never within a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (prompt, most) => {
        const text = render(`{{ truncate ${most} .Prompt }}`, { prompt }) as string;
        if (Buffer.byteLength(prompt) <= most) expect(text).toBe(prompt);
        else {
          const kept = text.slice(0, -1);
          expect(prompt.startsWith(kept)).toBe(true);
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(most);
          expect(Buffer.byteLength(kept)).toBeGreaterThan(most - 4);
        }
      }),
    );
  });
});
