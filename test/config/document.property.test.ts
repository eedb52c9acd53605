import { describe, expect, test } from "vitest";
import { readDocument } from "../../src/config/document.ts";
import type { ConfigDocument } from "../../src/dialects/dialect.ts";
import fc from "../helpers/fc.ts";

const FILES = ["hookbox.json", "hookbox.yaml"];

/** Text that passes the first character: pieces of both languages in any order. */
const fragments = fc
  .array(
    fc.oneof(
      fc.constantFrom("{", "}", "[", "]", ":", ": ", ",", "- ", "\n", "\n  ", "\t", '"', "'", "#", "//", "/*", "*/"),
      fc.constantFrom("&a ", "*a", "!!set ", "!x ", "%YAML 1.1\n", "---\n", "...", "? ", "|\n", ">-\n", "<<: "),
      fc.constantFrom("hooks", "Stop", "__proto__", "null", "true", "1e999", "-0", "\\u0000", "\ufeff", "\r", "\ud800"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

const text = fc.oneof(fc.string({ unit: "binary" }), fragments, fc.json());

const paths = fc.array(fc.oneof(fc.string(), fc.nat(3), fc.constantFrom("hooks", "__proto__", "length")), {
  maxLength: 4,
});

/** Every path in a value, with the value at that path. */
function* everyPath(
  value: unknown,
  path: (string | number)[] = [],
): Generator<{ path: (string | number)[]; value: unknown }> {
  yield { path, value };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* everyPath(item, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* everyPath(item, [...path, key]);
}

function expectInside(place: ReturnType<ConfigDocument["locate"]>, content: string): void {
  expect(place.line).toBeGreaterThanOrEqual(1);
  expect(place.line).toBeLessThanOrEqual(content.split(/\r\n|\n/).length);
  expect(place.column).toBeGreaterThanOrEqual(1);
}

describe.each(FILES)("any text as %s", (file) => {
  test("is read, or refused with one error at a place inside the file, and never throws", async () => {
    await fc.assert(
      fc.asyncProperty(text, paths, async (content, path) => {
        const read = await readDocument(content, file);
        if (read.ok) {
          expectInside(read.document.locate(path), content);
          expectInside(read.document.locate(path, "key"), content);
          return;
        }
        expect(read.problems).toHaveLength(1);
        const [problem] = read.problems;
        expect(problem).toMatchObject({ severity: "error", place: { file } });
        expect(problem?.code).toMatch(/^HOOK_CONFIG_(?:SYNTAX|DUPLICATE_KEY)$/);
        expect(problem?.message).not.toBe("");
        expectInside(problem?.place ?? { file }, content);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe.each(FILES)("any JSON value as %s", (file) => {
  const values = fc.jsonValue({ maxDepth: 5 });

  test("is read as it was written, indented or not", async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(0, 2), async (value, indent) => {
        const written = JSON.stringify(value, null, indent);
        const read = await readDocument(written, file);
        expect(read).toMatchObject({ ok: true });
        // The value of JSON.parse, because JSON has no -0 and no undefined.
        if (read.ok) expect(read.document.value).toEqual(JSON.parse(written));
      }),
    );
  });

  test("has each of its values at the place that the reader reports", async () => {
    await fc.assert(
      fc.asyncProperty(values, async (whole) => {
        const written = JSON.stringify(whole, null, 2);
        const read = await readDocument(written, file);
        if (!read.ok) throw new Error(JSON.stringify(read.problems));
        const lines = written.split("\n");
        for (const { path, value } of everyPath(JSON.parse(written))) {
          const { line = 0, column = 0 } = read.document.locate(path);
          const start = JSON.stringify(value, null, 2).split("\n", 1)[0] ?? "";
          expect((lines[line - 1] ?? "").slice(column - 1)).toSatisfy((rest: string) => rest.startsWith(start));
        }
      }),
    );
  });
});
