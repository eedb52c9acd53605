import { describe, expect, test } from "vitest";
import { fillArguments } from "../../src/templates/arguments.ts";
import fc from "../helpers/fc.ts";

describe("$ARGUMENTS", () => {
  test.each([
    ["Judge: $ARGUMENTS.", "Judge: {}."],
    ["$ARGUMENTS and $ARGUMENTS", "{} and {}"],
    ["Judge this.", "Judge this.\n\n{}"],
    ["", "\n\n{}"],
    ["\\$ARGUMENTS is $ARGUMENTS", "$ARGUMENTS is {}"],
    ["It says \\$ARGUMENTS.", "It says $ARGUMENTS.\n\n{}"],
    ["$ARGUMENT", "$ARGUMENT\n\n{}"],
  ])("in %j makes %j", (prompt, filled) => {
    expect(fillArguments(prompt, "{}")).toBe(filled);
  });

  test.each(["$&", "$`", "$'", "$1", "$$", "$ARGUMENTS", "\\$ARGUMENTS"])(
    "puts %s of an event in as it is",
    (event) => {
      expect(fillArguments("<$ARGUMENTS>", event)).toBe(`<${event}>`);
    },
  );

  test("puts any event in whole, once for each time that it is named", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, after, event) => {
        fc.pre(!before.includes("$") && !after.includes("$") && !before.endsWith("\\"));
        expect(fillArguments(`${before}$ARGUMENTS${after}`, event)).toBe(`${before}${event}${after}`);
      }),
    );
  });
});
