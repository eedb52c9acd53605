import { afterEach, describe, expect, test, vi } from "vitest";
import type { HookContext, Tool } from "../../../src/hosts/openclaw/index.ts";
import { call, hosted, recording } from "./hosted.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("observers", () => {
  const order = async (compat: "safer" | "faithful") => {
    const { host } = hosted({ compat });
    const seen: string[] = [];
    for (const [name, priority] of [
      ["low", 1],
      ["high", 2],
    ] as const)
      host.on(
        "message_sent",
        async () => {
          seen.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, 2));
          seen.push(`${name} ends`);
          return { cancel: true };
        },
        { priority },
      );
    expect(await host.run("message_sent", {})).toBeUndefined();
    return seen;
  };

  test("run in parallel, and their return values are ignored", async () => {
    expect((await order("safer")).slice(0, 2)).toEqual(["high begins", "low begins"]);
  });

  test("run one after another to the letter of the page", async () => {
    expect(await order("faithful")).toEqual(["high begins", "high ends", "low begins", "low ends"]);
  });

  test("that are fired are limited, and those over the limit are dropped", async () => {
    vi.useFakeTimers();
    const { host, warnings } = hosted();
    let atWork = 0;
    const ends: (() => void)[] = [];
    host.on("message_sent", () => {
      atWork += 1;
      return new Promise<void>((resolve) => void ends.push(resolve));
    });
    const taken = Array.from({ length: 273 }, () => host.fire("message_sent", {}));
    await vi.advanceTimersByTimeAsync(0);
    expect(atWork).toBe(16);
    expect(taken.filter((one) => one)).toHaveLength(272);
    expect(warnings).toEqual([expect.stringContaining("dropped")]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(warnings.filter((one) => one.includes("2000ms"))).toHaveLength(16);
    const settled = host.settled();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await vi.advanceTimersByTimeAsync(0);
    }
    await settled;
    expect(atWork).toBe(272);
  });
});

describe("a tool behind its hooks", () => {
  const tool: Tool = { name: "exec", execute: (_, params) => params };

  test("OC-24: has them run once, however often it is wrapped", async () => {
    const { host } = hosted();
    const seen = recording(() => ({ params: { mode: "dry" } }));
    host.on("before_tool_call", seen.handler);
    const inner = host.wrapTool(tool);
    const adapter: Tool = { ...inner, execute: (...args) => inner.execute(...args) };
    const withAbort = host.wrapTool({ ...host.wrapTool(adapter), name: "exec" });
    expect(await withAbort.execute("c", { cmd: "ls" })).toEqual({ cmd: "ls", mode: "dry" });
    expect(seen.events).toHaveLength(1);
  });

  test("throws if its hooks block it", async () => {
    const { host } = hosted();
    host.on("before_tool_call", () => ({ block: true, blockReason: "no" }));
    await expect(host.wrapTool(tool).execute("c", {})).rejects.toThrow("no");
  });

  test("OC-25: stores the parameters of a call for its run, and returns them once", async () => {
    const { host } = hosted();
    host.on("before_tool_call", ({ params }) => ({ params: { cmd: `${params.cmd} -n` } }));
    for (const [runId, cmd] of [
      ["r1", "a"],
      ["r2", "b"],
    ] as const)
      await host.toolCall({ ...call, runId, params: { cmd } }, { execute: () => null });
    expect(host.consumeAdjustedParams("c1", "r2")).toEqual({ cmd: "b -n" });
    expect(host.consumeAdjustedParams("c1", "r1")).toEqual({ cmd: "a -n" });
    expect(host.consumeAdjustedParams("c1", "r1")).toBeUndefined();
  });

  test("does not mix the parameters of two runs, whatever characters are in the ids", async () => {
    const { host } = hosted();
    await host.beforeToolCall({ toolName: "exec", params: { cmd: "a" }, runId: "r:1", toolCallId: "c" });
    expect(host.consumeAdjustedParams("1:c", "r")).toBeUndefined();
    expect(host.consumeAdjustedParams("c", "r:1")).toEqual({ cmd: "a" });
  });

  test("stores the parameters of the last 1024 calls", async () => {
    const { host } = hosted();
    for (let index = 0; index <= 1_024; index += 1)
      await host.beforeToolCall({ toolName: "exec", params: { index }, toolCallId: `c${index}`, runId: "r" });
    expect(host.consumeAdjustedParams("c0", "r")).toBeUndefined();
    expect(host.consumeAdjustedParams("c1", "r")).toEqual({ index: 1 });
  });
});

describe("the context", () => {
  test("names run, message and trace, whether the embedder gives them there, in the event or in the trace", async () => {
    const { host } = hosted();
    let seen: HookContext = {};
    host.on("message_received", (_, ctx) => {
      seen = ctx;
    });
    const trace = { traceId: "t", spanId: "s", parentSpanId: "p", callDepth: 2 };
    const getCron = () => "cron";
    const given = {
      agentId: "a",
      sessionKey: "k",
      sessionId: "i",
      jobId: "j",
      trace,
      getCron,
      workspaceDir: "/w",
      config: {},
    };
    await host.run("message_received", { content: "x", runId: "r", messageId: "m", senderId: "u" }, given);
    expect(seen).toMatchObject({
      ...given,
      runId: "r",
      messageId: "m",
      senderId: "u",
      traceId: "t",
      spanId: "s",
      parentSpanId: "p",
      callDepth: 2,
    });
    expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
    expect(Object.isFrozen(seen)).toBe(true);
  });
});
