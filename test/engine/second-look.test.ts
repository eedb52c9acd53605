import { expect, test } from "vitest";
import { bash, engineOf } from "./fake-hooks.ts";

const rewrites = { name: "rewrites", hook: () => ({ updatedInput: { command: "ls -l" } }) };

test("a second look asks every enforced rule, and none in monitor mode", async () => {
  const shown: unknown[] = [];
  const seeing = (name: string) => ({
    name,
    hook: ({ payload }: { payload: { tool_input?: unknown } }) => {
      shown.push([name, payload.tool_input]);
      return {};
    },
  });
  const engine = engineOf([rewrites, seeing("judges"), { ...seeing("watches"), mode: "monitor" }]);
  const { rules } = await engine.dispatch("PreToolUse", bash("ls"));
  expect(shown).toEqual([
    ["judges", { command: "ls" }],
    ["watches", { command: "ls" }],
    ["judges", { command: "ls -l" }],
  ]);
  expect(rules.map(({ rule, look }) => `${rule} ${look}`)).toEqual([
    "rewrites first",
    "judges first",
    "watches first",
    "judges second",
  ]);
});

test("a rule has its whole timeout for a second look, however long the first has taken", async () => {
  const left: number[] = [];
  const slow = {
    name: "slow",
    timeoutMs: 10_000,
    hook: async (_: unknown, { timeLeftMs }: { timeLeftMs: number }) => {
      left.push(timeLeftMs);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return {};
    },
  };
  await engineOf([rewrites, slow]).dispatch("PreToolUse", bash("ls"));
  expect(left).toHaveLength(2);
  expect(left[1]).toBeGreaterThan(9_900);
});
