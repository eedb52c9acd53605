import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bash, dialectWith, engineOf, type FakeRule, failure, gate } from "./fake-hooks.ts";

const pre = (session: string | undefined = "s") => ({
  tool_name: "Bash",
  tool_input: { command: "ls" },
  ...(session === undefined ? {} : { session_id: session }),
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "hookbox-once-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function counting(parts: Partial<FakeRule> = {}): { rule: FakeRule; runs: () => number } {
  let runs = 0;
  const hook: FakeRule["hook"] = async (event, options) => {
    runs++;
    return (await parts.hook?.(event, options)) ?? {};
  };
  return { rule: { name: "once", once: "session", ...parts, hook }, runs: () => runs };
}

describe("a rule that runs once", () => {
  test("is not used up by an answer that cannot be taken", async () => {
    const updatedInput = JSON.parse('{"__proto__": {}}') as Record<string, never>;
    const { rule, runs } = counting({ hook: () => ({ updatedInput }) });
    const engine = engineOf([rule], { dialect: dialectWith("PreToolUse", { rewriteMode: "patch" }) });
    for (const _ of [1, 2]) expect((await engine.dispatch("PreToolUse", pre())).rules[0]?.status).toBe("failed");
    expect(runs()).toBe(2);
  });

  test("runs once in each session, and then says why it does not", async () => {
    const { rule, runs } = counting();
    const engine = engineOf([rule]);
    for (const session of ["one", "one", "two", "two"]) await engine.dispatch("PreToolUse", pre(session));
    expect(runs()).toBe(2);
    const verdict = await engine.dispatch("PreToolUse", pre("one"));
    expect(verdict.rules[0]).toMatchObject({
      status: "abstained",
      dropped: ["everything: the rule runs once, and has run"],
    });
  });

  test("runs once in an engine's life where sessions have no name, and for all sessions when that is asked", async () => {
    const nameless = counting();
    const engine = engineOf([nameless.rule]);
    const event = { tool_name: "Bash", tool_input: {} };
    await engine.dispatch("PreToolUse", event);
    await engine.dispatch("PreToolUse", event);
    expect(nameless.runs()).toBe(1);

    const forever = counting({ once: "forever" });
    const other = engineOf([forever.rule]);
    await other.dispatch("PreToolUse", pre("one"));
    await other.dispatch("PreToolUse", pre("two"));
    expect(forever.runs()).toBe(1);
  });

  test("runs exactly once for events at the same moment, which all wait for it", async () => {
    const { opened, open } = gate();
    const { rule, runs } = counting({ hook: () => opened.then(() => ({})) });
    const engine = engineOf([rule]);
    let answered = 0;
    const dispatches = Array.from({ length: 8 }, async () => {
      const verdict = await engine.dispatch("PreToolUse", pre());
      answered++;
      return verdict;
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(answered).toBe(0);
    open();
    const verdicts = await Promise.all(dispatches);
    expect(runs()).toBe(1);
    expect(verdicts.map(({ decision }) => decision)).toEqual(Array(8).fill("none"));
  });

  test("runs for one of those that wait when the first run fails", async () => {
    let fails = true;
    const { rule, runs } = counting({
      hook: async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        const isFirst = fails;
        fails = false;
        return isFirst ? failure() : {};
      },
    });
    const engine = engineOf([rule]);
    const verdicts = await Promise.all([1, 2, 3].map(() => engine.dispatch("PreToolUse", pre())));
    expect(runs()).toBe(2);
    expect(verdicts.map(({ decision }) => decision).sort()).toEqual(["deny", "none", "none"]);
  });

  test.each(["deny", "stop"])("is not used up by a refusal (%s), which the next try would walk past", async (word) => {
    const { rule, runs } = counting({
      hook: () => (word === "deny" ? { decision: "deny" } : { continue: false }),
    });
    const engine = engineOf([rule]);
    await engine.dispatch("PreToolUse", pre());
    expect((await engine.dispatch("PreToolUse", pre())).decision).toBe("deny");
    expect(runs()).toBe(2);
  });

  test("looks at a rewritten input of the event that it has run for", async () => {
    const seen: string[] = [];
    const { rule } = counting({
      hook: ({ payload }) => {
        seen.push(JSON.stringify(payload["tool_input"]));
        return seen.length === 1 ? {} : { decision: "deny" };
      },
    });
    const rewriter: FakeRule = { name: "rewriter", hook: () => ({ updatedInput: { command: "rm" } }) };
    const onceStore = folder();
    const engine = engineOf([rule, rewriter], { onceStore });
    expect((await engine.dispatch("PreToolUse", pre())).decision).toBe("deny");
    expect(seen).toEqual(['{"command":"ls"}', '{"command":"rm"}']);
    // What it refused then is no success either.
    expect((await engine.dispatch("PreToolUse", pre())).decision).toBe("deny");
    expect(readdirSync(onceStore)).toEqual([]);
  });

  test("does not keep a dispatch that is cancelled, nor one whose deadline comes first", async () => {
    const { opened, open } = gate();
    const { rule } = counting({ hook: () => opened.then(() => ({})), timeoutMs: 2_000 });
    const engine = engineOf([rule]);
    const first = engine.dispatch("PreToolUse", pre());
    const cancelled = await engine.dispatch("PreToolUse", pre(), { signal: AbortSignal.timeout(20) });
    expect(cancelled).toMatchObject({ cancelled: true, decision: "none" });
    const late = await engine.dispatch("PreToolUse", pre(), { startedAt: performance.now() - 1_970 });
    expect(late).toMatchObject({ decision: "deny", rules: [{ failure: { kind: "timeout", limit: 2_000 } }] });
    open();
    expect((await first).decision).toBe("none");
  });

  test("counts when it only watches", async () => {
    const { rule, runs } = counting({ mode: "monitor" });
    const engine = engineOf([rule]);
    await engine.dispatch("PreToolUse", pre());
    await engine.dispatch("PreToolUse", pre());
    expect(runs()).toBe(1);
  });

  test("is skipped by others while it runs in the background, and runs again when that failed", async () => {
    const { opened, open } = gate();
    let ends: (value: unknown) => void = () => {};
    const ended = new Promise((resolve) => {
      ends = resolve;
    });
    const { rule, runs } = counting({ async: true, hook: () => opened.then(() => failure()) });
    const engine = engineOf([rule], { onBackgroundEnd: ends });
    await engine.dispatch("PreToolUse", pre());
    await engine.dispatch("PreToolUse", pre());
    expect(runs()).toBe(1);
    open();
    await ended;
    await engine.dispatch("PreToolUse", pre());
    await engine.close();
    expect(runs()).toBe(2);
  });
});

describe("a folder that remembers what has run", () => {
  test("tells another process, and not after a failure", async () => {
    const onceStore = join(folder(), "state");
    let fails = true;
    const { rule, runs } = counting({ hook: () => (fails ? failure() : {}) });
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    fails = false;
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    expect(runs()).toBe(2);
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre("other"));
    expect(runs()).toBe(3);
    expect(readdirSync(onceStore).every((name) => /^[0-9a-f]{64}\.session\.done$/.test(name))).toBe(true);
  });

  test("makes engines at the same moment wait for each other", async () => {
    const onceStore = folder();
    const { rule, runs } = counting({
      hook: async () => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return {};
      },
    });
    const engines = Array.from({ length: 5 }, () => engineOf([rule], { onceStore }));
    const verdicts = await Promise.all(engines.map((engine) => engine.dispatch("PreToolUse", pre())));
    expect(runs()).toBe(1);
    expect(verdicts.map(({ decision }) => decision)).toEqual(Array(5).fill("none"));
  });

  /** Leaves the claim of a run that never ended, by `pid`. */
  async function abandonedClaim(onceStore: string, pid: number, untilMs: number): Promise<void> {
    const { rule } = counting();
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    const [done = ""] = readdirSync(onceStore);
    rmSync(join(onceStore, done));
    writeFileSync(join(onceStore, done.replace(".done", ".1")), JSON.stringify({ pid, untilMs }), { mode: 0o600 });
  }

  test.each([
    ["a process that is gone", spawnSync("true").pid, Date.now() + 60_000],
    ["a run that is past its deadline", process.pid, Date.now() - 1],
  ])("takes the claim of %s for nothing, once", async (_, pid, untilMs) => {
    const onceStore = folder();
    await abandonedClaim(onceStore, pid, untilMs);
    const { rule, runs } = counting();
    const engines = Array.from({ length: 4 }, () => engineOf([rule], { onceStore }));
    await Promise.all(engines.map((engine) => engine.dispatch("PreToolUse", pre())));
    expect(runs()).toBe(1);
  });

  test("waits for a claim that holds, until its own deadline", async () => {
    const onceStore = folder();
    await abandonedClaim(onceStore, process.pid, Date.now() + 60_000);
    const { rule, runs } = counting({ timeoutMs: 5_000 });
    const verdict = await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre(), {
      startedAt: performance.now() - 4_900,
    });
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", limit: 5_000 });
    expect(runs()).toBe(0);
  });

  test.each([
    ["others may write to it", (path: string) => chmodSync(mkdirSync(path, { recursive: true }) ?? path, 0o777)],
    ["it is a file", (path: string) => writeFileSync(path, "")],
  ])("is not used when %s: the rule runs too often", async (_, make) => {
    const onceStore = join(folder(), "state");
    make(onceStore);
    const { rule, runs } = counting();
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    expect(runs()).toBe(2);
  });

  test("does not fill up: the oldest sessions go, and what is not its own stays", async () => {
    const onceStore = folder();
    writeFileSync(join(onceStore, "notes.txt"), "");
    const digest = (at: number): string => at.toString(16).padStart(64, "0");
    for (let at = 0; at < 1_100; at++) writeFileSync(join(onceStore, `${digest(at)}.session.done`), "{}");
    const { rule } = counting();
    await engineOf([rule], { onceStore }).dispatch("PreToolUse", pre());
    expect(readdirSync(onceStore).length).toBeLessThanOrEqual(1_026);
    expect(existsSync(join(onceStore, "notes.txt"))).toBe(true);
  });
});

test("a rule in a row that runs once does not break the row", async () => {
  const { rule } = counting({ hook: () => ({ updatedInput: { command: "first" } }) });
  const engine = engineOf([rule, { name: "next", hook: () => ({}) }], {
    dialect: dialectWith("PreToolUse", { order: "sequential" }),
  });
  expect((await engine.dispatch("PreToolUse", bash("x"))).updatedInput).toEqual({ command: "first" });
  expect((await engine.dispatch("PreToolUse", bash("x"))).updatedInput).toBeNull();
});
