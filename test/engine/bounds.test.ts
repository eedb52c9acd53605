import { describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine.ts";
import { bash, dialectWith, engineOf, type FakeRule, type Hook } from "./fake-hooks.ts";

const hangs: Hook = () => new Promise(() => {});
const row = (rules: readonly FakeRule[], parts: object = {}) =>
  engineOf(rules, { dialect: dialectWith("PreToolUse", { order: "sequential" }), ...parts });

describe("the budget of an event", () => {
  test("bounds the sum of rules in a row: who does not get a turn fails by name", async () => {
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
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { budgetMs: 40 });
    expect(verdict.decision).toBe("deny");
    expect(verdict.rules.map(({ failure }) => failure)).toMatchObject([
      { kind: "timeout", limit: 40, message: "no answer within the event's budget of 40 ms" },
      { kind: "timeout", limit: 40, message: "the event's budget of 40 ms was spent before the rule's turn" },
    ]);
    expect(ran).toBe(false);
  });

  test("bounds rules side by side, and looking again, too", async () => {
    const engine = engineOf([
      { name: "guard", hook: ({ payload }) => (JSON.stringify(payload).includes("rm") ? new Promise(() => {}) : {}) },
      { name: "rewriter", hook: () => ({ updatedInput: { command: "rm" } }) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { budgetMs: 60 });
    expect(verdict).toMatchObject({ decision: "deny", updatedInput: null });
    expect(verdict.rules.at(-1)).toMatchObject({ look: "second", failure: { kind: "timeout", limit: 60 } });
  });

  test("counts from the start that it is given, and may be configured", async () => {
    const engine = row([{ name: "a", hook: () => ({}) }], { eventBudgetMs: 500 });
    expect((await engine.dispatch("PreToolUse", bash("x"))).decision).toBe("none");
    const late = await engine.dispatch("PreToolUse", bash("x"), { startedAt: performance.now() - 501 });
    expect(late.rules[0]?.failure).toMatchObject({ kind: "timeout", limit: 500 });
  });

  test("is not shorter than a rule's own deadline where nobody says so", async () => {
    const engine = row([{ name: "a", hook: () => ({}), timeoutMs: 600_000 }]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { startedAt: performance.now() - 100_000 });
    expect(verdict.rules[0]?.status).toBe("abstained");
  });

  test("stands in a configuration, where a managed one is a ceiling", async () => {
    const run = (): Promise<never> => new Promise(() => {});
    const engine = await createEngine({
      config: {
        defaults: { event: { budgetMs: 30 } },
        hooks: { PreToolUse: [{ hooks: [{ type: "function", run }] }] },
      },
    });
    const verdict = await engine.dispatch("PreToolUse", bash("x"));
    await engine.close();
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", limit: 30 });
  });
});

describe("a caller that gives up", () => {
  test("before the start starts nothing, async rules neither", async () => {
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

  test("stops what is running, and the rest of a row", async () => {
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

  test("does not keep from tidying up, which has its own deadline", async () => {
    const engine = engineOf([
      { name: "tidies", event: "SessionEnd", hook: () => ({ systemMessage: "tidy" }) },
      { name: "hangs", event: "SessionEnd", hook: hangs, timeoutMs: 30 },
    ]);
    const verdict = await engine.dispatch("SessionEnd", { reason: "other" }, { signal: AbortSignal.abort() });
    expect(verdict).toMatchObject({ cancelled: false, systemMessage: expect.stringContaining("tidy") });
    expect(verdict.rules[1]?.failure).toMatchObject({ kind: "timeout", limit: 30 });
  });
});
