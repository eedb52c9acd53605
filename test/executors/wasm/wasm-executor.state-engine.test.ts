import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine, type EngineOptions, type StateStore, type Verdict } from "../../../src/index.ts";
import { counting, fatalEvent } from "./counting-guest.ts";
import { fileOf } from "./wasm-rule.ts";

/** Guards with state, in whole engines: which calls count, and how long the count is kept. */

const SHORT = { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
const LONG = { ...fatalEvent("s").payload };

async function open(rule: object, options: EngineOptions = {}): Promise<Engine> {
  const module = fileOf(counting("abstains"));
  const hook = { type: "wasm", module, grants: { state: true }, timeoutMs: 20_000, ...rule };
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ hooks: [hook] }] } },
    sandbox: { threads: 1 },
    cacheDir: false,
    ...options,
  });
  onTestFinished(() => engine.close());
  expect(engine.problems).toEqual([]);
  return engine;
}

const counted = (verdict: Verdict): number => Number(/\d{6}/.exec(verdict.reason ?? "")?.[0]);
const count = async (engine: Engine, session = "s"): Promise<number> =>
  counted(await engine.dispatch("PreToolUse", { ...SHORT, session_id: session }));

test("a denial counts: it is an answer like any other", async () => {
  const engine = await open({});
  expect([await count(engine), await count(engine), await count(engine, "t")]).toEqual([1, 2, 1]);
});

test("a call that is shown rewritten is judged twice, and counted twice", async () => {
  const engine = await open({});
  const rewrite = {
    hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "ls -l" } },
  };
  const remove = await engine.register([
    { event: "PreToolUse", type: "function", run: () => rewrite, may: ["deny", "rewrite"] },
  ]);
  const verdict = await engine.dispatch("PreToolUse", LONG);
  expect(verdict).toMatchObject({ decision: "none", updatedInput: { command: "ls -l" } });
  remove();
  expect(await count(engine)).toBe(3);
});

test("a rule in monitor mode counts as an enforced rule does", async () => {
  const saved: number[] = [];
  const values = new Map<string, Uint8Array>();
  const stateStore: StateStore = {
    load: () => values,
    save: (_, changes) => {
      for (const [key, value] of changes) if (value !== null) values.set(key, value);
      saved.push(values.get("n")?.[0] ?? 0);
    },
  };
  const engine = await open({ mode: "monitor" }, { stateStore });
  for (const payload of [SHORT, LONG, SHORT]) {
    expect(await engine.dispatch("PreToolUse", payload)).toMatchObject({ decision: "none" });
  }
  expect(saved).toEqual([1, 2, 3]);
});

test("an answer that the rule may not give counts, although it has no effect", async () => {
  const engine = await open({ may: ["ask"] });
  expect(await engine.dispatch("PreToolUse", SHORT)).toMatchObject({ decision: "none" });
  const [report] = (await engine.dispatch("PreToolUse", SHORT)).rules;
  expect(report).toMatchObject({ dropped: [expect.stringContaining("deny")] });
});

describe("the end of a session", () => {
  test("removes the guards' state of it, even if no guard judges that event", async () => {
    const engine = await open({});
    for (const session of ["s", "t"]) await count(engine, session);
    await engine.dispatch("SessionEnd", { session_id: "s", reason: "clear" });
    expect([await count(engine, "s"), await count(engine, "t")]).toEqual([1, 2]);
  });
});

test("two engines have separate state", async () => {
  const engines = [await open({}), await open({})];
  expect(await Promise.all(engines.map((engine) => count(engine)))).toEqual([1, 1]);
});

test("a process for one event tries the guard in its own thread, and stores its state", async () => {
  const engine = await open({}, { prepare: "on-demand" });
  expect([await count(engine), await count(engine)]).toEqual([1, 2]);
});
