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
    "inserts %s of an event unchanged",
    (event) => {
      expect(fillArguments("<$ARGUMENTS>", event)).toBe(`<${event}>`);
    },
  );

  test("inserts any whole event, once for each placeholder", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, after, event) => {
        fc.pre(!before.includes("$") && !after.includes("$") && !before.endsWith("\\"));
        expect(fillArguments(`${before}$ARGUMENTS${after}`, event)).toBe(`${before}${event}${after}`);
      }),
    );
  });
});
