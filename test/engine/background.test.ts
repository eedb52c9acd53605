import { describe, expect, test } from "vitest";
import type { BackgroundReport } from "../../src/engine.ts";
import type { RunResult } from "../../src/outcome.ts";
import { bash, engineOf, type FakeRule, failure, gate } from "./fake-hooks.ts";

const later = (name: string, hook: FakeRule["hook"], parts: Partial<FakeRule> = {}): FakeRule => ({
  name,
  async: true,
  ...parts,
  hook,
});

const ended = (reply: object, receipt: object = {}): RunResult => ({
  ok: true,
  reply,
  receipt: { micros: 1, ...receipt },
});

describe("async rules", () => {
  test("are started up to a limit; further ones are counted and reported", async () => {
    const { opened, open } = gate();
    const engine = engineOf(
      ["a", "b", "c"].map((name) => later(name, () => opened.then(() => ({})))),
      { maxBackground: 2 },
    );
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(engine.background).toEqual({ running: 2, dropped: 1 });
    expect(verdict.rules.map(({ dropped }) => dropped[0])).toEqual([
      "everything: the rule is async and is not waited for",
      "everything: the rule is async and is not waited for",
      "everything: not started: 2 rules are running in the background, and the limit is 2",
    ]);
    open();
    await engine.close();
    expect(engine.background).toEqual({ running: 0, dropped: 1 });
  });

  test("that were not started are reported like those that have failed", async () => {
    const { opened, open } = gate();
    const reports: BackgroundReport[] = [];
    const engine = engineOf(
      ["a", "b"].map((name) => later(name, () => opened.then(() => ({})))),
      { maxBackground: 1, onBackgroundEnd: (report) => void reports.push(report) },
    );
    await engine.dispatch("PreToolUse", bash("ls"));
    open();
    await engine.close();
    expect(reports).toMatchObject([
      { rule: "b", outcome: { status: "failed", failure: { kind: "unavailable", limit: 1, value: 1 } }, wakes: null },
      { rule: "a", outcome: { status: "abstained" } },
    ]);
    expect(reports).toHaveLength(2);
  });

  test("decide nothing, and are reported when they end", async () => {
    const reports: BackgroundReport[] = [];
    const engine = engineOf(
      [later("no", () => ({ decision: "deny", reason: "no" })), later("broken", () => failure("trap"))],
      { onBackgroundEnd: (report) => void reports.push(report) },
    );
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    await engine.close();
    expect(verdict.decision).toBe("none");
    expect(reports).toMatchObject([
      { rule: "no", event: "PreToolUse", outcome: { status: "decided", reply: { decision: "deny" } }, wakes: null },
      { rule: "broken", outcome: { status: "failed", failure: { kind: "trap" } }, wakes: null },
    ]);
  });

  test("AS5: wake the agent up with exit code 2, if configured to", async () => {
    const reports: BackgroundReport[] = [];
    const hook = (exitCode: number) => () => ended({ decision: "deny", reason: "look\u001b here" }, { exitCode });
    const engine = engineOf(
      [later("wakes", hook(2), { rewakes: true }), later("quiet", hook(0), { rewakes: true }), later("not", hook(2))],
      { onBackgroundEnd: (report) => void reports.push(report) },
    );
    await engine.dispatch("PreToolUse", bash("ls"));
    await engine.close();
    expect(Object.fromEntries(reports.map(({ rule, wakes }) => [rule, wakes]))).toEqual({
      wakes: "look here",
      quiet: null,
      not: null,
    });
  });

  test("are not affected by a listener that throws", async () => {
    const engine = engineOf([later("a", () => ({})), later("b", () => ({}))], {
      onBackgroundEnd: () => {
        throw new Error("mine");
      },
    });
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", onWarning);
    await engine.dispatch("PreToolUse", bash("ls"));
    await engine.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(warnings).toEqual(["onBackgroundEnd threw: mine", "onBackgroundEnd threw: mine"]);
  });

  test("AS6: are ended at their own deadlines, whatever the caller's signal does", async () => {
    const reports: BackgroundReport[] = [];
    const engine = engineOf([later("a", () => new Promise(() => {}), { timeoutMs: 30 })], {
      onBackgroundEnd: (report) => void reports.push(report),
    });
    const controller = new AbortController();
    await engine.dispatch("PreToolUse", bash("ls"), { signal: controller.signal });
    controller.abort();
    await engine.close();
    expect(reports).toMatchObject([{ outcome: { failure: { kind: "timeout", limit: 30 } } }]);
  });
});

describe("a hook that detaches itself", () => {
  test("is not waited for, decides nothing, and is reported when it ends", async () => {
    const reports: BackgroundReport[] = [];
    const { opened, open } = gate();
    const detached = opened.then(() => ended({ decision: "deny", reason: "late" }));
    const engine = engineOf([{ name: "a", hook: () => ({ ...ended({ decision: "deny" }), detached }) as RunResult }], {
      maxBackground: 0,
      onBackgroundEnd: (report) => void reports.push(report),
    });
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "none", rules: [{ status: "abstained" }] });
    expect(engine.background.running).toBe(1);
    expect(reports).toEqual([]);
    open();
    await engine.close();
    expect(reports).toMatchObject([{ rule: "a", outcome: { reply: { decision: "deny" } } }]);
  });
});

describe("a dispatch can ask for", () => {
  const rules = (ran: string[]): FakeRule[] =>
    [
      { name: "sync", parts: {} },
      { name: "async", parts: { async: true } },
      { name: "preempt", parts: { lane: "preempt" as const } },
    ].map(({ name, parts }) => ({
      name,
      ...parts,
      hook: () => {
        ran.push(name);
        return { decision: name === "preempt" ? "ask" : "deny", additionalContext: [name] };
      },
    }));

  test.each([
    [{ only: "sync" }, ["preempt", "sync"]],
    [{ only: "async" }, ["async"]],
    [{ lane: "preempt" }, ["preempt"]],
    [{ lane: "default" }, ["sync", "async"]],
    [{ lane: "default", only: "sync" }, ["sync"]],
    [{}, ["preempt", "sync", "async"]],
  ] as const)("some of the rules: %o", async (options, expected) => {
    const ran: string[] = [];
    const engine = engineOf(rules(ran));
    const verdict = await engine.dispatch("PreToolUse", bash("ls"), options);
    await engine.close();
    expect(ran.sort()).toEqual([...expected].sort());
    expect(verdict.rules.map(({ rule }) => rule)).toEqual(expected);
  });

  test("only the async rules, which are waited for and still decide nothing", async () => {
    const reports: BackgroundReport[] = [];
    const engine = engineOf(rules([]), { onBackgroundEnd: (report) => void reports.push(report) });
    const verdict = await engine.dispatch("PreToolUse", bash("ls"), { only: "async" });
    expect(verdict).toMatchObject({ decision: "none", additionalContext: "async", rules: [{ decision: "deny" }] });
    expect(reports).toMatchObject([{ rule: "async" }]);
    expect(engine.asyncRulesFor("PreToolUse", bash("ls")).map(({ name }) => name)).toEqual(["async"]);
    expect(engine.asyncRulesFor("Stop", {})).toEqual([]);
  });

  test("only the async rules, of which one that fails refuses nothing", async () => {
    const engine = engineOf([later("broken", () => failure("trap"), { onFailure: "block" })]);
    const verdict = await engine.dispatch("PreToolUse", bash("ls"), { only: "async" });
    expect(verdict).toMatchObject({ decision: "none", rules: [{ status: "failed", onFailure: "continue" }] });
  });

  test("no more async rules at the same time than the limit", async () => {
    const { opened, open } = gate();
    const engine = engineOf(
      ["a", "b"].map((name) => later(name, () => opened.then(() => ({})))),
      { maxBackground: 1 },
    );
    const dispatched = engine.dispatch("PreToolUse", bash("ls"), { only: "async" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(engine.background).toEqual({ running: 1, dropped: 1 });
    open();
    expect((await dispatched).rules[1]?.dropped[0]).toContain("not started");
    expect(engine.background).toEqual({ running: 0, dropped: 1 });
  });

  test("each async rule, which is run or reported as not started, whatever their number", async () => {
    const names = Array.from({ length: 70 }, (_, index) => `async-${index}`);
    for (const [maxBackground, running] of [
      [100, 70],
      [64, 64],
    ] as const) {
      const ran: string[] = [];
      const engine = engineOf(
        names.map((name) => ({ ...later(name, () => Promise.resolve({ reason: `${ran.push(name)}` })) })),
        { maxBackground },
      );
      const { rules: reports } = await engine.dispatch("PreToolUse", bash("ls"), { only: "async" });
      expect(reports.map(({ rule }) => rule)).toEqual(names);
      expect(ran).toHaveLength(running);
      expect(engine.background.dropped).toBe(names.length - running);
      await engine.close();
    }
  });

  test("a lane, which includes a rule that could not be loaded, whatever its lane is", async () => {
    const problem = { severity: "error", code: "HOOK_CONFIG_TYPE", message: "bad" } as const;
    const broken: FakeRule = { name: "broken", hook: () => failure() };
    const engine = engineOf([{ ...broken, handler: { type: "broken", declaredType: "x", problem } }]);
    for (const lane of ["preempt", "default"] as const) {
      expect((await engine.dispatch("PreToolUse", bash("ls"), { lane })).decision).toBe("deny");
    }
  });

  test("nothing that does not exist", async () => {
    const engine = engineOf([]);
    for (const options of [{ lane: "fast" }, { only: "some" }, { budgetMs: 0 }, { budgetMs: Number.NaN }]) {
      await expect(engine.dispatch("PreToolUse", bash("ls"), options as never)).rejects.toMatchObject({
        code: "HOOK_API_MISUSE",
      });
    }
  });
});
