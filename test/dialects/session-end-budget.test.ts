import { describe, expect, test } from "vitest";
import { readDocument } from "../../src/config/document.ts";
import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import { claudeCodeFormat } from "../../src/dialects/claude-code/config-format.ts";
import { parse } from "./parse.ts";

/** Claude Code gives all hooks at a session's end one budget, which hooks of settings files can raise. */

const hook = (timeout?: unknown) => ({ type: "command", command: "a", ...(timeout === undefined ? {} : { timeout }) });
const config = (...timeouts: unknown[]) => ({
  hooks: { SessionEnd: timeouts.map((timeout) => ({ hooks: [hook(timeout)] })) },
});

async function deadlines(...timeouts: unknown[]): Promise<number[]> {
  return (await parse("claude-code", config(...timeouts))).rules.map((rule) => rule.timeoutMs);
}

describe("at SessionEnd, a settings file's hooks", () => {
  test.each([
    [[undefined], [1_500]],
    [
      [undefined, 5],
      [5_000, 5_000],
    ],
    [
      [0.5, undefined],
      [500, 1_500],
    ],
    [
      [1.5, 20, undefined],
      [1_500, 20_000, 20_000],
    ],
    [
      [600, undefined],
      [60_000, 60_000],
    ],
  ])("with timeouts of %j seconds have %j milliseconds", async (timeouts, expected) => {
    expect(await deadlines(...timeouts)).toEqual(expected);
  });

  test("get no more time from an invalid hook", async () => {
    expect((await deadlines("60", undefined)).at(-1)).toBe(1_500);
    expect((await deadlines(-3, undefined)).at(-1)).toBe(1_500);
  });

  test("do not raise timeouts at other events", async () => {
    const both = { hooks: { ...config(30).hooks, Stop: [{ hooks: [hook()] }] } };
    expect((await parse("claude-code", both)).rules.map((rule) => rule.timeoutMs)).toEqual([30_000, 600_000]);
  });
});

test("a plugin's hooks at SessionEnd cannot raise it", async () => {
  const read = await readDocument(JSON.stringify(config(20, undefined, 1)), "/plugins/a/hooks/hooks.json");
  if (!read.ok) throw new Error("not read");
  const { rules } = claudeCodeFormat.parseRules(read.document, {
    layer: "user",
    baseDir: "/plugins/a",
    defaults: BUILTIN_DEFAULTS,
  });
  expect(rules.map((rule) => rule.timeoutMs)).toEqual([1_500, 1_500, 1_000]);
});
