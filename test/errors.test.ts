import { describe, expect, test } from "vitest";
import { describeThrown, ERROR_CODES, formatPlace, formatProblem, HookError, type Problem } from "../src/errors.ts";
import fc from "./helpers/fc.ts";

describe("ERROR_CODES", () => {
  test.each(Object.entries(ERROR_CODES))("%s is a stable name with one sentence", (code, sentence) => {
    expect(code).toMatch(/^HOOK(_[A-Z]+)+$/);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});

describe("HookError", () => {
  test("is an error with a code, and has no hint, place or cause that it was not given", () => {
    const error = new HookError("HOOK_API_MISUSE", "not a rule");
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "HookError", code: "HOOK_API_MISUSE", message: "not a rule" });
    expect(error.hint).toBeUndefined();
    expect(error.place).toBeUndefined();
    expect(Object.hasOwn(error, "cause")).toBe(false);
  });

  test("keeps hint, place and cause", () => {
    const cause = new Error("disk");
    const place = { file: "hookbox.json", line: 3 };
    const error = new HookError("HOOK_CONFIG_UNREADABLE", "no", { hint: "try again", place, cause });
    expect(error).toMatchObject({ hint: "try again", place, cause });
  });
});

describe("formatPlace", () => {
  test.each([
    [{ file: "a.json" }, "a.json"],
    [{ file: "a.json", line: 3 }, "a.json:3"],
    [{ file: "a.json", line: 3, column: 7 }, "a.json:3:7"],
    [{ file: "a.json", column: 7 }, "a.json"],
    [{ file: "a.json", line: 3, column: 7, pointer: "/hooks" }, "a.json:3:7"],
  ])("writes %j in the form that editors recognise", (place, text) => {
    expect(formatPlace(place)).toBe(text);
  });
});

describe("formatProblem", () => {
  const problem: Problem = { severity: "error", code: "HOOK_CONFIG_TYPE", message: "must be a string" };

  test.each<[Problem, string]>([
    [problem, "HOOK_CONFIG_TYPE: must be a string"],
    [{ ...problem, place: { file: "a.json", line: 1 } }, "a.json:1: HOOK_CONFIG_TYPE: must be a string"],
    [{ ...problem, hint: "quote it" }, "HOOK_CONFIG_TYPE: must be a string (quote it)"],
    [
      { ...problem, place: { file: "a.json", line: 1, column: 2 }, hint: "quote it" },
      "a.json:1:2: HOOK_CONFIG_TYPE: must be a string (quote it)",
    ],
  ])("puts place, code, message and hint on one line: %j", (one, line) => {
    expect(formatProblem(one)).toBe(line);
  });
});

describe("describeThrown", () => {
  test.each([
    ["an error", new Error("disk full"), "disk full"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["an error of ours", new HookError("HOOK_INTERNAL", "oops"), "oops"],
    ["a text", "boom", "boom"],
    ["nothing", undefined, "non-error value thrown: undefined"],
    ["null", null, "non-error value thrown: null"],
    ["a number", 7, "non-error value thrown: 7"],
    ["a symbol", Symbol("why"), "non-error value thrown: Symbol(why)"],
  ])("describes %s", (_what, thrown, text) => {
    expect(describeThrown(thrown)).toBe(text);
  });

  test.each([
    ["an object without a prototype", Object.create(null)],
    [
      "an object whose toString throws",
      {
        toString: () => {
          throw new Error("no");
        },
      },
    ],
    ["an object whose toString returns none", { toString: () => ({}), valueOf: () => ({}) }],
  ])("describes %s without throwing", (_what, thrown) => {
    expect(describeThrown(thrown)).toMatch(/^non-error value thrown/);
  });

  test("never throws, whatever value was thrown", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
        expect(describeThrown(thrown)).toEqual(expect.any(String));
      }),
    );
  });
});
