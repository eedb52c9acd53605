import { describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine.ts";
import { bash, dialectWith, engineOf, type FakeRule, type Hook } from "./fake-hooks.ts";

const hangs: Hook = () => new Promise(() => {});
const row = (rules: readonly FakeRule[], parts: object = {}) =>
  engineOf(rules, { dialect: dialectWith("PreToolUse", { order: "sequential" }), ...parts });

describe("the patience of an event", () => {
  test("bounds the sum of sequential rules: a rule that is not reached fails by name", async () => {
    let ran = false;
    const engine = row([
      { name: "slow", hook: hangs },
      {
        name: "next",
        onFailure: "continue",
        hook: () => {
          ran = true;
          return {};
        },
      },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { patienceMs: 80 });
    expect(verdict.decision).toBe("deny");
    expect(verdict.rules.map(({ failure }) => failure)).toMatchObject([
      {
        kind: "timeout",
        phase: "work",
        limit: 40,
        message: expect.stringContaining("event's patience of 80 ms less 40 ms"),
      },
      { kind: "timeout", phase: "queue", limit: 40 },
    ]);
    expect(ran).toBe(false);
  });

  test("bounds rules that run at the same time, and the second look, too", async () => {
    const engine = engineOf([
      { name: "guard", hook: ({ payload }) => (JSON.stringify(payload).includes("rm") ? new Promise(() => {}) : {}) },
      { name: "rewriter", hook: () => ({ updatedInput: { command: "rm" } }) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { patienceMs: 400 });
    expect(verdict).toMatchObject({ decision: "deny", updatedInput: null });
    expect(verdict.rules.at(-1)).toMatchObject({ look: "second", failure: { kind: "timeout", limit: 200 } });
  });

  test("counts from the given start, and may be configured", async () => {
    const engine = row([{ name: "a", hook: () => ({}) }], { eventPatienceMs: 10_000 });
    expect(engine.patienceMs).toBe(10_000);
    expect((await engine.dispatch("PreToolUse", bash("x"))).decision).toBe("none");
    const late = await engine.dispatch("PreToolUse", bash("x"), { startedAt: performance.now() - 9_001 });
    expect(late.rules[0]?.failure).toMatchObject({ kind: "timeout", phase: "start", limit: 9_000 });
  });

  test("is long enough for the slowest rule if neither the caller nor the configuration sets it", async () => {
    const engine = row([{ name: "a", hook: () => ({}), timeoutMs: 600_000 }]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { startedAt: performance.now() - 601_000 });
    expect(verdict.rules[0]?.status).toBe("abstained");
  });

  test.each(["patienceMs", "budgetMs"])(
    "is defaults.event.%s of a configuration, which is also its old name",
    async (key) => {
      const run = (): Promise<never> => new Promise(() => {});
      const engine = await createEngine({
        config: {
          defaults: { event: { [key]: 60 } },
          hooks: { PreToolUse: [{ hooks: [{ type: "function", run }] }] },
        },
      });
      const verdict = await engine.dispatch("PreToolUse", bash("x"));
      await engine.close();
      expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", limit: 30 });
      const renamed = { severity: "warning", code: "HOOK_CONFIG_RENAMED", hint: 'write "patienceMs": 60' };
      expect(engine.problems).toMatchObject(key === "budgetMs" ? [renamed] : []);
    },
  );

  test("has an old name for callers, too, and must be a time", async () => {
    const engine = engineOf([{ name: "a", hook: hangs }]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { budgetMs: 60 });
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", limit: 30 });
    for (const patienceMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(engine.dispatch("PreToolUse", bash("x"), { patienceMs })).rejects.toThrow("patienceMs must be");
  });
});

describe("a caller that cancels", () => {
  test("before the start starts nothing, not even async rules", async () => {
    const ran: string[] = [];
    const note = (name: string, parts: Partial<FakeRule> = {}): FakeRule => ({
      name,
      ...parts,
      hook: () => {
        ran.push(name);
        return { decision: "allow" };
      },
    });
    const engine = engineOf([note("a"), note("b", { async: true })]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { signal: AbortSignal.abort() });
    expect(ran).toEqual([]);
    expect(verdict).toMatchObject({ cancelled: true, decision: "none" });
  });

  test("stops the running rule, and the rest of a sequence", async () => {
    const stopped: unknown[] = [];
    const ran: string[] = [];
    const engine = row([
      {
        name: "a",
        hook: (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              stopped.push(signal.reason);
              resolve({ decision: "deny" });
            });
          }),
      },
      {
        name: "b",
        hook: () => {
          ran.push("b");
          return {};
        },
      },
    ]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { signal: controller.signal });
    expect(stopped).toMatchObject([{ kind: "cancelled" }]);
    expect(ran).toEqual([]);
    expect(verdict).toMatchObject({ cancelled: true, decision: "none", reason: null });
    expect(verdict.rules.map(({ failure, onFailure }) => [failure?.kind, onFailure])).toEqual([
      ["cancelled", null],
      ["cancelled", null],
    ]);
  });

  test("does not prevent cleaning up, which has its own deadline", async () => {
    const engine = engineOf([
      { name: "tidies", event: "SessionEnd", hook: () => ({ systemMessage: "tidy" }) },
      { name: "hangs", event: "SessionEnd", hook: hangs, timeoutMs: 30 },
    ]);
    const verdict = await engine.dispatch("SessionEnd", { reason: "other" }, { signal: AbortSignal.abort() });
    expect(verdict).toMatchObject({ cancelled: false, systemMessage: expect.stringContaining("tidy") });
    expect(verdict.rules[1]?.failure).toMatchObject({ kind: "timeout", limit: 30 });
  });
});
