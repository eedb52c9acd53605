import { afterEach, describe, expect, test, vi } from "vitest";
import { HookFailure } from "../../../src/hosts/openclaw/index.ts";
import { safeText } from "../../../src/hosts/openclaw/log-text.ts";
import { call, hosted, settingsOf } from "./hosted.ts";

const FIXED = "Tool call blocked because before_tool_call hook failed";
const throws = (): never => {
  throw new Error("the database is away");
};
const hangs = (): Promise<never> => new Promise(() => {});

afterEach(() => {
  vi.useRealTimers();
});

describe("a handler that throws", () => {
  test("OC-13: is skipped if the hook fails open", async () => {
    const { host, errors } = hosted({ failurePolicy: { before_tool_call: "open" } });
    host.on("before_tool_call", throws);
    expect(await host.run("before_tool_call", { ...call })).toBeUndefined();
    expect(errors).toEqual([expect.stringContaining("the database is away")]);
  });

  test("OC-13: blocks the tool with a fixed text if it fails closed, and the log has the details", async () => {
    const { host, errors } = hosted();
    host.on("before_tool_call", throws);
    await expect(host.run("before_tool_call", { ...call })).rejects.toBeInstanceOf(HookFailure);
    const ran = await host.toolCall(call, { execute: () => expect.unreachable() });
    expect(ran).toEqual({ status: "blocked", reason: FIXED });
    expect(JSON.stringify(ran)).not.toContain("database");
    expect(errors[0]).toContain("the database is away");
  });

  test.each(["before_agent_run", "before_install"] as const)("counts as a denial at %s", async (hook) => {
    const { host } = hosted({ failurePolicy: { before_agent_run: "open" } });
    host.on(hook, throws);
    await expect(host.run(hook, {})).rejects.toThrow(`Blocked because ${hook} hook failed`);
  });

  test.each(["message_sending", "before_prompt_build", "before_agent_finalize", "before_model_resolve"] as const)(
    "is skipped at %s, and the next one is asked",
    async (hook) => {
      const { host, errors } = hosted();
      host.on(hook, throws, { priority: 5 });
      host.on(hook, () => ({ action: "revise", content: "c", systemPrompt: "s", modelOverride: "m" }));
      expect(await host.run(hook, {})).toBeDefined();
      expect(errors).toHaveLength(1);
    },
  );

  test("OC-23: is logged on one line, without keys and control characters, and shortened", async () => {
    const { host, errors } = hosted();
    const key = "sk-abcdefghijklmnop1234";
    host.on("agent_end", () => {
      throw new Error(`first\n\tsecond \u001b[31m${key} ${"x".repeat(2_000)}`);
    });
    await host.run("agent_end", {});
    expect(errors).toHaveLength(1);
    expect(errors[0]).not.toContain(key);
    expect(errors[0]).toMatch(/^[ -~…]+$/);
    expect(errors[0]!.length).toBeLessThanOrEqual(500);
  });

  test.each([
    ["Authorization: Bearer abc.def-12345678", "abc.def-12345678"],
    ["api_key=hunter22hunter", "hunter22hunter"],
    ['{"password": "correcthorse"}', "correcthorse"],
    ["https://user:s3cr3tpw@host/path", "s3cr3tpw"],
    ["ghp_abcdefghijklmnopqrst", "ghp_abcdefghijklmnopqrst"],
    ["AKIAABCDEFGHIJKLMNOP", "AKIAABCDEFGHIJKLMNOP"],
  ])("has its secrets masked: %s", (text, secret) => {
    expect(safeText(text)).toContain("***");
    expect(safeText(text)).not.toContain(secret);
  });
});

describe("a handler that hangs", () => {
  test("OC-14: has 15 seconds before a tool call, which is denied then", async () => {
    vi.useFakeTimers();
    const { host, errors } = hosted();
    host.on("before_tool_call", hangs);
    const ran = host.toolCall(call, { execute: () => expect.unreachable() });
    await vi.advanceTimersByTimeAsync(14_999);
    expect(errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ran).toEqual({ status: "blocked", reason: FIXED });
    expect(errors[0]).toContain("timed out after 15000ms");
  });

  test("OC-14: has 15 seconds before the final answer, which is accepted then", async () => {
    vi.useFakeTimers();
    const { host } = hosted();
    host.on("before_agent_finalize", hangs);
    const said = host.run("before_agent_finalize", {});
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await said).toBeUndefined();
  });

  test.each([
    ["before_prompt_build", 15_000],
    ["before_agent_run", 15_000],
    ["before_install", 15_000],
    ["message_sending", 15_000],
    ["reply_payload_sending", 15_000],
    ["resolve_exec_env", 15_000],
    ["skill_proposal_evaluate", 120_000],
    ["agent_end", 30_000],
    ["before_compaction", 30_000],
    ["after_compaction", 30_000],
    ["skill_changed", 30_000],
    ["gateway_stop", 5_000],
  ] as const)("at %s has %i ms", async (hook, timeoutMs) => {
    vi.useFakeTimers();
    const { host, errors } = hosted();
    host.on(hook, hangs);
    const said = host.run(hook, {}).catch(() => {});
    await vi.advanceTimersByTimeAsync(timeoutMs - 1);
    expect(errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await said;
    expect(errors[0]).toContain(`timed out after ${timeoutMs}ms`);
  });

  test.each(["session_start", "message_sent", "inbound_claim"] as const)(
    "at %s is waited for without a limit",
    async (hook) => {
      vi.useFakeTimers();
      const { host, errors } = hosted();
      host.on(hook, hangs);
      const said = Promise.race([host.run(hook, {}), new Promise((resolve) => setTimeout(resolve, 700_000, "waits"))]);
      await vi.advanceTimersByTimeAsync(700_000);
      expect([await said, errors]).toEqual(["waits", []]);
    },
  );

  test("OC-15: does not affect another handler's answer at a prompt, and has the time of its registration", async () => {
    const { host, errors } = hosted();
    host.on("before_prompt_build", hangs, { priority: 5, timeoutMs: 5 });
    host.on("before_prompt_build", () => ({ prependContext: "fast" }));
    expect(await host.run("before_prompt_build", {})).toEqual({ prependContext: "fast" });
    expect(errors).toEqual([expect.stringContaining("timed out after 5ms")]);
  });

  test("has its signal fired when its time is over", async () => {
    const { host } = hosted();
    let signal: AbortSignal | undefined;
    host.on(
      "message_sending",
      (_, ctx) => {
        signal = ctx.abortSignal;
        return hangs();
      },
      { timeoutMs: 5 },
    );
    await host.run("message_sending", { content: "x" });
    expect(signal?.aborted).toBe(true);
  });

  test("delays nothing after the run is aborted", async () => {
    const { host } = hosted();
    host.on("before_tool_call", hangs);
    const run = new AbortController();
    const ran = host.toolCall(call, { execute: () => expect.unreachable() }, { abortSignal: run.signal });
    run.abort();
    expect(await ran).toMatchObject({ status: "blocked", reason: expect.stringContaining("aborted") });
  });
});

describe("the timeout of a handler", () => {
  test.each([
    ["operator, for the hook", { timeouts: { message_sending: 3 }, timeoutMs: 60_000 }, 60_000, 3],
    ["operator, for the plugin", { timeoutMs: 4 }, 60_000, 4],
    ["plugin", {}, 6, 6],
    ["plugin, where the operator's is no number of milliseconds", { timeoutMs: "5s" }, 7, 7],
    ["plugin, where the operator's is not positive", { timeouts: { message_sending: 0 }, timeoutMs: -1 }, 8, 8],
    ["plugin, where the operator's is too long", { timeoutMs: 600_001 }, 9, 9],
  ])("%s", async (_, hooks, own, counts) => {
    const { host, errors } = hosted({ config: settingsOf("slow", hooks) });
    host.use({ id: "slow", name: "Slow", register: (api) => api.on("message_sending", hangs, { timeoutMs: own }) });
    await host.run("message_sending", { content: "x" });
    expect(errors[0]).toContain(`timed out after ${counts}ms`);
  });
});
