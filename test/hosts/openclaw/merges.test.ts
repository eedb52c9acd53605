import { describe, expect, test } from "vitest";
import type { HookName } from "../../../src/hosts/openclaw/index.ts";
import { hosted, recording } from "./hosted.ts";

/** Merges the answers of several handlers, highest priority first. */
async function merged(hook: HookName, said: readonly unknown[], event: Record<string, unknown> = {}) {
  const { host, errors } = hosted();
  const called: number[] = [];
  said.forEach((answer, index) => {
    host.on(
      hook,
      () => {
        called.push(index);
        return answer;
      },
      { priority: -index },
    );
  });
  return { result: (await host.run(hook, event)) as Record<string, unknown> | undefined, called, errors };
}

describe("before_agent_finalize", () => {
  const revise = (reason: string, instruction?: unknown) => ({
    action: "revise",
    reason,
    ...(instruction === undefined ? {} : { retry: { instruction } }),
  });

  test.each([
    [[{ action: "continue" }, revise("r")], { action: "revise", reason: "r" }],
    [[revise("r"), { action: "continue" }], { action: "revise", reason: "r" }],
    [[revise("r"), { action: "finalize", reason: "done" }], { action: "finalize", reason: "done" }],
    [[{ action: "finalize" }, revise("r")], { action: "finalize" }],
    [[revise("one"), undefined, null, revise("two")], { action: "revise", reason: "one\n\ntwo" }],
    [[revise("one"), { action: "revise" }], { action: "revise", reason: "one" }],
    [[{ action: "continue" }], { action: "continue" }],
    [[undefined], undefined],
  ])("OC-16: merges %j to %j", async (said, result) => {
    expect((await merged("before_agent_finalize", said)).result).toEqual(result);
  });

  test("OC-16: asks for the first valid retry, and hides all of them", async () => {
    const said = [revise("a", "  "), revise("b", " shorter "), revise("c", 7), revise("d", "longer")];
    const { result } = await merged("before_agent_finalize", said);
    expect(result).toEqual({ action: "revise", reason: "a\n\nb\n\nc\n\nd", retry: { instruction: "shorter" } });
    expect(Object.keys(result!)).not.toContain("retryCandidates");
    expect(result!["retryCandidates"]).toEqual([{ instruction: "shorter" }, { instruction: "longer" }]);
  });

  test("ignores an unknown action", async () => {
    const { result, errors } = await merged("before_agent_finalize", [{ action: "again" }, { action: "finalize" }]);
    expect([result, errors.length]).toEqual([{ action: "finalize" }, 1]);
  });
});

describe("message_sending", () => {
  test("OC-17: keeps the last content, and no handler is asked after a cancellation", async () => {
    const said = [{ content: "first" }, { content: "second" }, { cancel: true }, { content: "skipped" }];
    const { result, called } = await merged("message_sending", said, { content: "original" });
    expect(result).toEqual({ content: "second", cancel: true });
    expect(called).toEqual([0, 1, 2]);
  });

  test.each(["safer", "faithful"] as const)("shows each handler the content of the one before: %s", async (compat) => {
    const { host } = hosted({ compat });
    host.on("message_sending", () => ({ content: "rewritten", metadata: { by: "a" } }), { priority: 5 });
    const low = recording();
    host.on("message_sending", low.handler);
    const result = await host.run("message_sending", { content: "original", to: "x" });
    expect(low.events).toEqual([{ content: "rewritten", to: "x", metadata: { by: "a" } }]);
    expect(result).toEqual({ content: "rewritten", metadata: { by: "a" } });
  });

  test("treats cancel: false as no answer", async () => {
    expect((await merged("message_sending", [{ cancel: false }], { content: "c" })).result).toBeUndefined();
  });

  test("passes the latest payload on at reply_payload_sending", async () => {
    const { host } = hosted();
    host.on("reply_payload_sending", () => ({ payload: { text: "b" } }), { priority: 5 });
    host.on("reply_payload_sending", ({ payload }) => ({ payload: { text: `${payload.text}c` } }));
    expect(await host.run("reply_payload_sending", { payload: { text: "a" } })).toEqual({ payload: { text: "bc" } });
  });
});

describe("before_model_resolve", () => {
  test("OC-18: uses the highest handler with an answer, and asks a broken one once", async () => {
    const { host, errors } = hosted();
    let broken = 0;
    host.on(
      "before_model_resolve",
      () => {
        broken += 1;
        throw new Error("no");
      },
      { priority: 100 },
    );
    host.on("before_model_resolve", () => ({ modelOverride: "high" }), { priority: 10 });
    host.on("before_model_resolve", () => ({ modelOverride: "low", providerOverride: "p" }));
    const result = await host.run("before_model_resolve", { prompt: "x" });
    expect(result).toEqual({ modelOverride: "high", providerOverride: "p" });
    expect([broken, errors.length]).toEqual([1, 1]);
  });
});

describe("the other merges", () => {
  test.each<[HookName, unknown[], unknown]>([
    [
      "before_prompt_build",
      [
        { systemPrompt: "high", prependContext: "a", appendSystemContext: "x", toolsAllow: ["read", "exec", "read"] },
        { systemPrompt: "low", prependContext: "b", prependSystemContext: "y", toolsAllow: ["exec", "write"] },
      ],
      {
        systemPrompt: "high",
        prependContext: "a\n\nb",
        appendSystemContext: "x",
        prependSystemContext: "y",
        toolsAllow: ["exec"],
      },
    ],
    ["before_prompt_build", [{ toolsAllow: ["read"] }, { toolsAllow: "read" }], { toolsAllow: [] }],
    ["before_prompt_build", [{ toolsAllow: [1] }, { toolsAllow: ["read"] }], { toolsAllow: [] }],
    ["before_prompt_build", [{ toolsAllow: null }], { toolsAllow: [] }],
    [
      "before_agent_start",
      [
        { modelOverride: "m", prependContext: "a" },
        { modelOverride: "n", prependContext: "b" },
      ],
      { modelOverride: "m", prependContext: "a\n\nb" },
    ],
    [
      "agent_turn_prepare",
      [{ prependContext: "a" }, { appendContext: "b" }],
      { prependContext: "a", appendContext: "b" },
    ],
    ["heartbeat_prompt_contribution", [{ prependContext: "a" }, {}], { prependContext: "a" }],
    [
      "before_install",
      [
        { findings: [{ id: 1 }] },
        { block: false, findings: [{ id: 2 }] },
        { block: true, blockReason: "no" },
        { findings: [3] },
      ],
      { findings: [{ id: 1 }, { id: 2 }], block: true, blockReason: "no" },
    ],
    ["before_agent_run", [undefined, undefined], undefined],
    ["before_agent_run", [{ outcome: "pass" }], { outcome: "pass" }],
    [
      "before_agent_run",
      [{ outcome: "pass" }, { outcome: "block", reason: "r", message: "m" }],
      { outcome: "block", reason: "r", message: "m" },
    ],
    ["before_agent_run", [null], { outcome: "block", reason: "invalid decision" }],
    ["before_agent_run", [{}], { outcome: "block", reason: "invalid decision" }],
    ["before_agent_run", ["pass"], { outcome: "block", reason: "invalid decision" }],
    ["before_agent_run", [{ outcome: "allow" }, { outcome: "pass" }], { outcome: "block", reason: "invalid decision" }],
    [
      "subagent_spawning",
      [
        { status: "ok", threadBindingReady: false },
        { status: "error", error: "one" },
        { status: "error", error: "two", threadBindingReady: true },
      ],
      { status: "error", error: "one", threadBindingReady: true },
    ],
    ["subagent_delivery_target", [{}, { origin: { to: "a" } }, { origin: { to: "b" } }], { origin: { to: "a" } }],
    ["resolve_exec_env", [{ A: "1", B: "1" }, { B: "2" }], { A: "1", B: "2" }],
  ])("at %s merge %j to %j", async (hook, said, result) => {
    expect((await merged(hook, said)).result).toEqual(result);
  });

  test("of before_agent_run ask no handler after a block", async () => {
    const { called } = await merged("before_agent_run", [{ outcome: "block" }, { outcome: "pass" }]);
    expect(called).toEqual([0]);
  });

  test("of before_agent_run answer the caller that starts the run, and refuse if it fails", async () => {
    const { host } = hosted();
    expect(await host.beforeAgentRun({})).toEqual({ outcome: "pass" });
    host.on("before_agent_run", () => Promise.reject(new Error("secret detail")));
    expect(await host.beforeAgentRun({})).toEqual({
      outcome: "block",
      reason: "Blocked because before_agent_run hook failed",
    });
  });
});

describe("before_prompt_build", () => {
  test("asked from within one of its handlers returns nothing, and a later call may ask again", async () => {
    const { host } = hosted();
    let calls = 0;
    let later: Promise<unknown> | undefined;
    host.on("before_prompt_build", async () => {
      calls += 1;
      const nested = await host.run("before_prompt_build", {});
      later ??= new Promise((resolve) => setTimeout(resolve, 20)).then(() => host.run("before_prompt_build", {}));
      return { prependContext: nested === undefined ? "once" : "twice" };
    });
    expect(await host.run("before_prompt_build", {})).toEqual({ prependContext: "once" });
    expect(calls).toBe(1);
    expect(await later).toEqual({ prependContext: "once" });
    expect(calls).toBe(2);
  });
});
