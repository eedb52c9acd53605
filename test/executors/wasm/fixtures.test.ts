import { afterAll, describe, expect, test } from "vitest";
import { runFixtures } from "../../../src/executors/wasm/fixtures/fixtures.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Fixture } from "../../../src/sandbox/admission/manifest-schema.ts";
import { answering } from "../../helpers/guests.ts";
import { LIMITS, openExecutor, wasmRule } from "./wasm-rule.ts";

const executor = new WasmExecutor({ threads: 1, cacheDir: false });
afterAll(() => executor.close());

const DENIES = answering(
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no nails"}}',
);
const fixture = (parts: Partial<Fixture> = {}): Fixture => ({
  name: "one",
  event: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
  decision: "deny",
  ...parts,
});

describe("a guard's own test", () => {
  test("passes when the guard decides as expected", async () => {
    expect(await runFixtures(executor, wasmRule(DENIES), [fixture(), fixture({ reason: "nails" })])).toMatchObject([
      { name: "one", passed: true, expected: { decision: "deny" }, actual: { decision: "deny", reason: "no nails" } },
      { name: "one", passed: true, expected: { decision: "deny", reason: "nails" }, fuel: expect.any(Number) },
    ]);
  });

  test.each<[string, Partial<Fixture>, RegExp]>([
    ["decides otherwise", { decision: "allow" }, /^expected allow, but the guard answered deny$/],
    ["has an opinion where none is expected", { decision: "none" }, /^expected none, but the guard answered deny$/],
    [
      "gives another reason",
      { reason: "screws" },
      /^expected a reason that contains "screws", but the reason is "no nails"$/,
    ],
    [
      "is asked of an event that does not exist",
      { event: { hook_event_name: "NoSuch" } },
      /^there is no event "NoSuch"/,
    ],
  ])("fails when the guard %s", async (_, parts, message) => {
    expect(await runFixtures(executor, wasmRule(DENIES), [fixture(parts)])).toMatchObject([
      { name: "one", passed: false, message: expect.stringMatching(message) },
    ]);
  });

  test("fails by name if the guard fails, and the next test is run nevertheless", async () => {
    const results = await runFixtures(executor, wasmRule("traps"), [fixture(), fixture({ name: "two" })]);
    expect(results).toMatchObject([
      {
        name: "one",
        passed: false,
        actual: { failure: { kind: "trap" } },
        message: expect.stringMatching(/^expected deny, but the guard failed: trap: /),
      },
      { name: "two", passed: false, message: expect.stringContaining("trap") },
    ]);
  });

  test("has its own configuration, and none if it sets none", async () => {
    const rule = wasmRule("answers-from-its-config", { handler: { config: { answer: "{}" } } });
    const answer = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}';
    const [own, none] = await runFixtures(executor, rule, [
      fixture({ decision: "ask", config: { answer } }),
      fixture({ decision: "none" }),
    ]);
    expect(own).toMatchObject({ name: "one", passed: true });
    expect(none?.message ?? "").not.toContain("ask");
  });

  test("is limited by the rule's fuel", async () => {
    const rule = wasmRule("allows-then-loops-for-ever", { handler: { limits: { ...LIMITS, fuel: 100_000 } } });
    const [result] = await runFixtures(executor, rule, [fixture({ decision: "allow" })]);
    expect(result?.message).toMatch(/^expected allow, but the guard failed: fuel: used up its fuel of 100000$/);
  });

  // The first call of a process waits until the module is admitted and a thread has started.
  test("is not limited by a deadline that only a warm process meets", async () => {
    const results = await runFixtures(openExecutor(), wasmRule(DENIES, { timeoutMs: 1 }), [fixture(), fixture()]);
    expect(results.map(({ passed, message }) => message ?? passed)).toEqual([true, true]);
  });
});

test("without fixtures nothing is read and nothing is run", async () => {
  const rule = wasmRule(DENIES, { handler: { module: "/no/such/file.wasm" } });
  expect(await runFixtures(executor, rule, [])).toEqual([]);
});
