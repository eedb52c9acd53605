import { expect, test } from "vitest";
import { plainPath } from "../../src/files/plain-path.ts";
import fc from "../helpers/fc.ts";

test.each(["policy.json", "a/b/c", "…", "..a", "a..", " ", "~", "%2e%2e", "a\nb", "ünï/\u0301", "x".repeat(255)])(
  "%j is an ordinary path",
  (path) => expect(plainPath(path, "linux")).toEqual({ ok: true, parts: path.split("/") }),
);

test.each([
  ["", "empty part"],
  ["/", "is absolute"],
  ["/etc/passwd", "is absolute"],
  ["a//b", "empty part"],
  ["a/", "empty part"],
  [".", 'the part "."'],
  ["..", 'the part ".."'],
  ["a/../b", 'the part ".."'],
  ["./a", 'the part "."'],
  ["a\\b", "backslash"],
  ["..\\a", "backslash"],
  ["a\0", "NUL"],
  ["\ud800", "well-formed"],
  ["a/\udc00b", "well-formed"],
])("%j is refused, because it %s", (path, why) => {
  expect(plainPath(path, "linux")).toMatchObject({ ok: false, message: expect.stringContaining(why) });
});

test("what is too long is refused with limit and length in bytes", () => {
  expect(plainPath("é".repeat(128))).toMatchObject({ ok: false, limit: 255, value: 256 });
  expect(plainPath("a/".repeat(2_048))).toMatchObject({ ok: false, message: expect.stringContaining("empty part") });
  expect(plainPath("a/".repeat(2_049))).toMatchObject({ ok: false, limit: 4_096, value: 4_098 });
});

test.each([
  "a:b",
  "policy.json::$DATA",
  "C:",
  "policy.json.",
  "policy.json ",
  "con",
  "NUL.txt",
  "a/com1",
  "lpt¹.x",
  "a?",
])("on Windows %j is refused, because it means something else there", (path) => {
  expect(plainPath(path, "win32")).toMatchObject({ ok: false });
  expect(plainPath(path, "linux")).toMatchObject({ ok: true });
});

test("every accepted path has one reading: its parts are names, and joined they are the path", () => {
  const piece = fc.oneof(
    fc.constantFrom("/", "..", ".", "a", "\\", "\0", "\ud800", "é"),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = pieces.join("");
      const plain = plainPath(path, "linux");
      if (!plain.ok) return;
      expect(plain.parts.join("/")).toBe(path);
      for (const part of plain.parts) {
        expect(["", ".", ".."]).not.toContain(part);
        expect(part).not.toMatch(/[/\\\0]/);
        expect(Buffer.from(part).toString()).toBe(part);
      }
      // An independent reading that resolves nothing.
      expect(new URL(`file:///root/${plain.parts.map(encodeURIComponent).join("/")}`).pathname.split("/")).toHaveLength(
        plain.parts.length + 2,
      );
    }),
    { numRuns: 2_000 },
  );
});
