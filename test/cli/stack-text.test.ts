import { expect, test } from "vitest";
import { stackLines } from "../../src/cli/guard/stack-text.ts";

const linesOf = (message: string) => stackLines(message).map(({ kind, text }) => `${kind}: ${text}`);

test.each([
  "TypeError: config.n: expected at least 1, got 0",
  "Error: stopped at once (see the log)",
  "Error: no command at guard.ts",
  "Error: at handle (guard.ts:1:2) it failed",
  "Error: what was caused by the user",
])("a message without a stack is not split: %s", (message) => {
  expect(linesOf(message)).toEqual([`error: ${message}`]);
});

test("each frame has a separate line, named or not", () => {
  const message =
    "TypeError: config.n: expected at least 1, got 0 at check (lib/my check.ts:3:9) at guard.ts:12:5 at map (native) at new Rule (guard.ts:9:1)";
  expect(linesOf(message)).toEqual([
    "error: TypeError: config.n: expected at least 1, got 0",
    "frame: at check (lib/my check.ts:3:9)",
    "frame: at guard.ts:12:5",
    "frame: at map (native)",
    "frame: at new Rule (guard.ts:9:1)",
  ]);
});

test("each cause starts a line", () => {
  const message =
    "Error: not read at handle (guard.ts:2:1) caused by SyntaxError: at position 4 at parse (guard.ts:8:3) caused by a string was thrown, not an Error: no";
  expect(linesOf(message)).toEqual([
    "error: Error: not read",
    "frame: at handle (guard.ts:2:1)",
    "error: caused by SyntaxError: at position 4",
    "frame: at parse (guard.ts:8:3)",
    "error: caused by a string was thrown, not an Error: no",
  ]);
  expect(linesOf("Error: outer caused by TypeError: inner")).toEqual([
    "error: Error: outer",
    "error: caused by TypeError: inner",
  ]);
});
