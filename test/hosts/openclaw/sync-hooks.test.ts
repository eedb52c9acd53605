import { describe, expect, test } from "vitest";
import { hosted, recording } from "./hosted.ts";

const message = { role: "toolResult", toolName: "exec", content: "token hunter2" };

describe("a hook that cannot wait", () => {
  test.each([
    ["that is kept", () => Promise.resolve({ message: { content: "late" } })],
    ["that is broken", () => Promise.reject(new Error("late"))],
  ])("OC-19: ignores a promise %s, and reports it once", async (_, handler) => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", listen);
    const { host, warnings } = hosted();
    host.on("tool_result_persist", handler);
    expect(host.runSync("tool_result_persist", { toolName: "exec", message })).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("promise")]);
  });

  test("OC-19: fails for a promise if it fails closed", () => {
    const { host } = hosted({ failurePolicy: { tool_result_persist: "closed" } });
    host.on("tool_result_persist", async () => undefined);
    expect(() => host.runSync("tool_result_persist", { message })).toThrow("tool_result_persist hook failed");
  });

  test("OC-20: shows each handler the message of the one before", () => {
    const { host } = hosted();
    host.on("tool_result_persist", async () => ({ message: { content: "hunter2 again" } }), { priority: 30 });
    host.on(
      "tool_result_persist",
      (event) => ({ message: { ...event.message, content: event.message.content.replace("hunter2", "***") } }),
      { priority: 20 },
    );
    const observer = recording();
    host.on("tool_result_persist", observer.handler, { priority: 10 });
    const result = host.runSync("tool_result_persist", { toolName: "exec", message });
    expect(result?.message).toMatchObject({ content: "token ***" });
    expect(observer.events).toMatchObject([{ message: { content: "token ***" } }]);
    expect(JSON.stringify([result, observer.events])).not.toContain("hunter2");
  });

  test("OC-21: asks no handler after a write that is blocked", () => {
    const { host } = hosted();
    const last = recording();
    host.on("before_message_write", () => ({ message: { content: "short" } }), { priority: 3 });
    host.on("before_message_write", () => ({ block: true }), { priority: 2 });
    host.on("before_message_write", last.handler, { priority: 1 });
    expect(host.runSync("before_message_write", { message })).toEqual({ message: { content: "short" }, block: true });
    expect(last.events).toEqual([]);
  });

  test("skips a handler that throws, also with `run`", async () => {
    const { host, errors } = hosted();
    host.on("before_message_write", () => {
      throw new Error("no");
    });
    host.on("before_message_write", () => ({ block: true }));
    expect(await host.run("before_message_write", { message })).toEqual({ block: true });
    expect(errors).toHaveLength(1);
  });
});

describe("the stored result of a tool", () => {
  const call = { toolName: "exec", params: {}, toolCallId: "c" };
  const ran = async (details: unknown, rewrite?: (message: object) => object) => {
    const { host } = hosted();
    if (rewrite) host.on("tool_result_persist", (event) => ({ message: rewrite(event.message) }));
    const result = await host.toolCall(call, { execute: () => ({ content: "text", details }) });
    if (result.status === "blocked") throw new Error(result.reason);
    return result;
  };

  test("has its details, and what the model reads has none", async () => {
    const { message: kept, replay } = await ran({ rows: 3 });
    expect(kept).toMatchObject({
      role: "toolResult",
      toolName: "exec",
      toolCallId: "c",
      content: "text",
      details: { rows: 3 },
    });
    expect(replay).toMatchObject({ content: "text" });
    expect(replay).not.toHaveProperty("details");
  });

  test("has a summary in place of details that are too long, whichever handler made them", async () => {
    const long = { log: "x".repeat(20_000) };
    const summary = { persistedDetailsTruncated: true, keys: ["log"], originalLength: 20_010 };
    expect((await ran(long)).message.details).toEqual(summary);
    expect((await ran({}, (one) => ({ ...one, details: long }))).message.details).toEqual(summary);
    expect((await ran({ big: 1n })).message.details).toEqual({ persistedDetailsTruncated: true, keys: ["big"] });
  });

  test("is withheld if a hook on it fails closed", async () => {
    const { host } = hosted({ failurePolicy: { tool_result_persist: "closed" } });
    host.on("tool_result_persist", () => {
      throw new Error("hunter2");
    });
    const result = await host.toolCall(call, { execute: () => "token hunter2" });
    expect(JSON.stringify(result.status === "blocked" ? "" : [result.message, result.replay])).not.toContain("hunter2");
    expect(result).toMatchObject({ message: { isError: true } });
  });

  test("contains the exception of a tool that throws", async () => {
    const { host } = hosted();
    const seen = recording();
    host.on("after_tool_call", seen.handler);
    const result = await host.toolCall(call, {
      execute: () => {
        throw new Error("disk full");
      },
    });
    expect(result).toMatchObject({ status: "failed", message: { isError: true, content: "disk full" } });
    await host.settled();
    expect(seen.events).toMatchObject([{ toolName: "exec", error: "disk full", durationMs: expect.any(Number) }]);
  });
});
