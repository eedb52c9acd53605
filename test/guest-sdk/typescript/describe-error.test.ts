import { describe, expect, test } from "vitest";
import { describeError } from "../../../guest-sdk/typescript/describe-error.ts";
import { type LineTable, mapStack } from "../../../guest-sdk/typescript/stack-lines.ts";

/** Line 1: nothing. Line 2: guard.ts 1:1, and 5:5 from column 9. Line 3: this library. Line 4: a package, 100:3. */
const TABLE: LineTable = {
  file: "guard.js",
  sources: ["guard.ts", "hookbox/guest/runtime.ts", "node_modules/words/index.js"],
  mappings: ";AAAA,QAIC;ACAA;AEmGE",
};

/** As QuickJS writes stacks: frames only. */
function thrown(message: string, frames: readonly string[], cause?: unknown): Error {
  const error = new TypeError(message, cause === undefined ? undefined : { cause });
  error.stack = frames.map((frame) => `    at ${frame}\n`).join("");
  return error;
}

describe("a stack", () => {
  test("names places in the author's files", () => {
    const error = thrown("x", ["handle (guard.js:2:3)", "<anonymous> (guard.js:2:12)", "find (guard.js:4:1)"]);
    expect(describeError(error, TABLE)).toBe(
      [
        "TypeError: x",
        "    at handle (guard.ts:1:3)",
        "    at <anonymous> (guard.ts:5:5)",
        "    at find (node_modules/words/index.js:100:3)",
      ].join("\n"),
    );
  });

  test("omits this library, and frames without a place in a source", () => {
    const frames = ["handle (guard.js:2:1)", "encode (guard.js:3:1)", "x (guard.js:1:1)", "x (guard.js:99:1)"];
    expect(mapStack(thrown("x", frames).stack ?? "", TABLE)).toEqual(["    at handle (guard.ts:1:1)"]);
  });

  test("keeps frames of the language, and of other files", () => {
    const frames = ["forEach (native)", "run (other.js:1:2)", "guard.js:2", "guard.js:2:1"];
    expect(mapStack(thrown("x", frames).stack ?? "", TABLE)).toEqual([
      "    at forEach (native)",
      "    at run (other.js:1:2)",
      "    at guard.ts:1:1",
      "    at guard.ts:1:1",
    ]);
  });

  test("is cut after a dozen frames", () => {
    const frames = Array.from({ length: 99 }, (_, index) => `f${index} (guard.js:2:1)`);
    expect(mapStack(thrown("x", frames).stack ?? "", TABLE)).toHaveLength(12);
  });

  test("is unchanged if there is no table", () => {
    expect(describeError(thrown("x", ["handle (guard.js:2:3)"]))).toBe("TypeError: x\n    at handle (guard.js:2:3)");
  });

  test("of Node's, too, which begin with the message", () => {
    expect(describeError(new RangeError("two\nlines"))).toMatch(/^RangeError: two\nlines\n {4}at /);
  });

  test("is read whatever the table contains", () => {
    for (const mappings of ["", ";;;", ",", ";!!", ";A", ";AAAA,,", ";AZAA"]) {
      expect(describeError(thrown("x", ["f (guard.js:2:1)"]), { ...TABLE, mappings })).toMatch(/^TypeError: x/);
    }
  });
});

describe("a thrown value", () => {
  test.each<[unknown, string]>([
    ["text", "a string was thrown, not an Error: text"],
    [undefined, "nothing was thrown, not an Error"],
    [null, "null was thrown, not an Error"],
    [5, "a number was thrown, not an Error"],
    [{ message: "x" }, "an object was thrown, not an Error"],
  ])("is named even if it is not an error: %j", (value, text) => {
    expect(describeError(value)).toBe(text);
  });

  test("is shown with its causes, up to a limit", () => {
    const chain = [1, 2, 3, 4, 5, 6, 7].reduce<Error>(
      (cause, step) => thrown(`step ${step}`, [], cause),
      thrown("root", []),
    );
    const text = describeError(chain);
    expect(text.split("\n")).toEqual(
      [7, 6, 5, 4, 3].map((step) => `${step < 7 ? "caused by " : ""}TypeError: step ${step}`),
    );
    const self = thrown("self", []);
    self.cause = self;
    expect(describeError(self).split("\n")).toHaveLength(5);
  });

  test("is cut if it is very long", () => {
    expect(describeError(thrown("x".repeat(1_000_000), [])).length).toBeLessThan(3_000);
  });
});
