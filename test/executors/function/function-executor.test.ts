import { describe, expect, onTestFinished, test } from "vitest";
import { runBounded } from "../../../src/executors/bounded-run.ts";
import { FunctionExecutor } from "../../../src/executors/function/function-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { HookFunction } from "../../../src/rule.ts";
import { bashEvent, makeEvent, makeRule } from "../../helpers/rules.ts";

const event = bashEvent("ls");
const ruleFor = (run: HookFunction, timeoutMs = 1_000) => makeRule({ handler: { type: "function", run }, timeoutMs });

function call(run: unknown, timeoutMs?: number, on = event, caller?: AbortSignal): Promise<RunResult> {
  return runBounded(new FunctionExecutor(), ruleFor(run as HookFunction, timeoutMs), on, caller);
}

const specific = (fields: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...fields },
});

describe("a function", () => {
  test.each([
    ["at once", () => specific({ permissionDecision: "deny" })],
    ["later", async () => specific({ permissionDecision: "deny" })],
  ])("may answer %s", async (_, run) => {
    expect(await call(run)).toMatchObject({ ok: true, reply: { decision: "deny" } });
  });

  test.each([undefined, null, {}])("has no opinion if it answers %o", async (answer) => {
    expect(await call(() => answer)).toMatchObject({ ok: true, reply: {} });
  });

  test("gets a copy of the event and a signal, so its changes to the event have no effect", async () => {
    let seen: unknown;
    const result = await call((copy: Record<string, Record<string, unknown>>, { signal }: { signal: AbortSignal }) => {
      seen = [structuredClone(copy), signal instanceof AbortSignal];
      copy["tool_input"]!["command"] = "rm";
      return {};
    });
    expect(result.ok).toBe(true);
    expect(seen).toEqual([event.payload, true]);
    expect(event.payload["tool_input"]).toEqual({ command: "ls" });
  });

  test("cannot change its answer after it has returned", async () => {
    const input = { command: "ls -l" };
    const result = await call(() => specific({ updatedInput: input }));
    input.command = "rm";
    expect(result).toMatchObject({ reply: { updatedInput: { command: "ls -l" } } });
  });

  test.each([
    ["throws", () => Promise.reject(new Error("mine"))],
    [
      "throws at once",
      () => {
        throw new Error("mine");
      },
    ],
  ])("that %s has failed", async (_, run) => {
    expect(await call(run)).toMatchObject({ ok: false, failure: { kind: "trap", message: "threw: mine" } });
  });

  test("that throws a value which throws when it is read has failed, too", async () => {
    const hostile = new Error("x");
    Object.defineProperty(hostile, "message", {
      get: () => {
        throw new Error("again");
      },
    });
    expect(await call(() => Promise.reject(hostile))).toMatchObject({ ok: false, failure: { kind: "trap" } });
    expect(await call(() => Promise.reject(Object.assign(new Error(), { message: 7 })))).toMatchObject({ ok: false });
  });

  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  test.each([
    ["a text", "deny"],
    ["a list", []],
    ["true", true],
    ["a function", () => ({})],
    ["something with a function", { hookSpecificOutput: () => ({}) }],
    ["a number that JSON does not have", { a: Number.NaN }],
    ["a map", new Map()],
    ["a date", { at: new Date() }],
    ["shared memory", { shared: new SharedArrayBuffer(8) }],
    ["itself in itself", circle],
    ["an unknown field", { permissionDecision: "allow" }],
    ["another event's fields", { hookSpecificOutput: { hookEventName: "Stop" } }],
    ["a word that is no decision", { decision: "maybe" }],
  ])("that answers %s has given no answer", async (_, answer) => {
    expect(await call(() => answer)).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
  });

  test("that does not answer in time has its signal fired, and its later answer is ignored", async () => {
    let told: () => void = () => {};
    const isTold = new Promise<void>((resolve) => {
      told = resolve;
    });
    const result = await call(async (_: unknown, { signal }: { signal: AbortSignal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      told();
      throw new Error("too late to be heard");
    }, 20);
    expect(result).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 20 } });
    await isTold;
  });

  test("that blocks the thread past its deadline is late, although no timer could fire", async () => {
    const result = await call(() => {
      const until = performance.now() + 40;
      while (performance.now() < until);
      return specific({ permissionDecision: "allow" });
    }, 10);
    expect(result).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 10 } });
  });

  test("has its signal fired when the caller cancels", async () => {
    const result = await call(() => new Promise(() => {}), 5_000, event, AbortSignal.timeout(20));
    expect(result).toMatchObject({ ok: false, failure: { kind: "cancelled" } });
  });

  test("is not called with an event that cannot be copied", async () => {
    let called = false;
    const shared = makeEvent("PreToolUse", { tool_name: "X", tool_input: { m: new SharedArrayBuffer(1) } as never });
    const result = await call(
      () => {
        called = true;
      },
      1_000,
      shared,
    );
    expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
    expect(called).toBe(false);
  });

  test("has its signal fired when the engine closes, and is not called afterwards", async () => {
    const executor = new FunctionExecutor();
    const signals: AbortSignal[] = [];
    const rule = ruleFor((_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    const running = runBounded(executor, rule, event, undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await executor.close();
    expect(await running).toMatchObject({ failure: { kind: "cancelled" } });
    expect(await runBounded(executor, rule, event, undefined)).toMatchObject({
      failure: { kind: "unavailable" },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("leaves no unhandled rejection", async () => {
    const seen: unknown[] = [];
    const onRejection = (reason: unknown): void => void seen.push(reason);
    process.on("unhandledRejection", onRejection);
    onTestFinished(() => void process.off("unhandledRejection", onRejection));
    await call(() => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 40)), 10);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(seen).toEqual([]);
  });
});
