import { describe, expect, test } from "vitest";
import { fillInput } from "../../../src/executors/mcp/fill-input.ts";
import type { JsonObject, JsonValue } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";

const event: JsonObject = {
  tool_name: "Edit",
  tool_input: { file_path: "a.ts", edits: [{ old: "x" }, { old: "y" }], "dry-run": true, lines: 3, nothing: null },
  odd: "${tool_name}",
};

function fill(input: JsonObject): JsonObject {
  const filled = fillInput(input, event);
  if (!filled.ok) throw new Error(filled.failure.message);
  return filled.input;
}
const fillText = (text: string): JsonValue | undefined => fill({ text })["text"];

describe("a text of a tool's input", () => {
  test.each([
    ["${tool_input.file_path}", "a.ts"],
    ["check ${tool_input.file_path} for ${tool_name}!", "check a.ts for Edit!"],
    ["${tool_input.edits.1.old}", "y"],
    ["${tool_input.dry-run}", "true"],
    ["${tool_input.lines}", "3"],
    ["${tool_input.nothing}", "null"],
    ["${tool_input.edits}", '[{"old":"x"},{"old":"y"}]'],
  ])("with %s becomes %s", (text, filled) => {
    expect(fillText(text)).toBe(filled);
  });

  test.each([
    "${none}",
    "${tool_input.none.deeper}",
    "${tool_name.length}",
    "${tool_input.edits.length}",
    "${tool_input.edits.9}",
    "${tool_input.edits.-1}",
    "${constructor}",
    "${__proto__.polluted}",
    "${tool_input.toString}",
  ])("with %s names nothing of the event, and is empty", (text) => {
    expect(fillText(`<${text}>`)).toBe("<>");
  });

  test.each(["$", "$tool_name", "${}", "${ tool_name }", "${tool_name", "${a.}", "${1+1}x${`", "\\${", "${a[0]}"])(
    "with %s is not a placeholder",
    (text) => {
      expect(fillText(text)).toBe(text);
    },
  );

  test("is filled once: placeholders in a field's value are not replaced", () => {
    expect(fillText("${odd}")).toBe("${tool_name}");
  });
});

describe("a tool's input", () => {
  test("is filled in objects and lists; keys and other values do not change", () => {
    expect(fill({ "${tool_name}": { deep: [["${tool_name}"], 1, true, null] } })).toEqual({
      "${tool_name}": { deep: [["Edit"], 1, true, null] },
    });
  });

  test("keeps a key that has a special meaning in JavaScript", () => {
    const input = JSON.parse('{"__proto__": {"polluted": "${tool_name}"}}') as JsonObject;
    expect(JSON.stringify(fill(input))).toBe('{"__proto__":{"polluted":"Edit"}}');
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("over the limit is refused with limit and value, before all of it was built", () => {
    const filled = fillInput({ text: "${long}".repeat(1_000) }, { long: "x".repeat(2_000) }, 10_000);
    expect(filled).toEqual({
      ok: false,
      failure: {
        kind: "capability",
        message: "the tool's input would have 11000 characters or more, over the limit of 10000",
        limit: 10_000,
        value: 11_000,
      },
    });
  });

  test("without a placeholder is not changed", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        fc.pre(!JSON.stringify(input).includes("${"));
        expect(JSON.stringify(fillInput(input as JsonObject, event))).toBe(JSON.stringify({ ok: true, input }));
      }),
    );
  });

  test("accepts any text of the event unchanged", () => {
    fc.assert(
      fc.property(fc.string(), (prompt) => {
        expect(fillInput({ text: "<${prompt}>" }, { prompt })).toEqual({ ok: true, input: { text: `<${prompt}>` } });
      }),
    );
  });
});
