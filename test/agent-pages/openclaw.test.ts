import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { definePluginEntry, HOOK_NAMES, type HookName, type PluginApi } from "../../src/hosts/openclaw/index.ts";
import { FAMILIES } from "../conformance/cases/index.ts";
import { hosted, recording, settingsOf } from "../hosts/openclaw/hosted.ts";
import { openclawPage } from "./openclaw.ts";

/** What OpenClaw's page on plugin hooks shows and promises, with our own plugins. */

const entry = (register: (api: PluginApi) => void) => definePluginEntry({ id: "ours", name: "Ours", register });

describe("the quick start", () => {
  const plugin = definePluginEntry({
    id: "mail-check",
    name: "Mail check",
    register(api) {
      api.on(
        "before_tool_call",
        async (event) => {
          if (event.toolName !== "send_mail") return;
          return {
            requireApproval: {
              title: "Send mail",
              description: `To: ${String(event.params.to ?? "nobody")}`,
              severity: "warning",
              timeoutMs: 45_000,
              timeoutBehavior: "deny",
            },
          };
        },
        { priority: 30 },
      );
    },
  });

  test("a plugin that asks for approval of one tool asks only for that tool", async () => {
    const { host } = hosted();
    host.use(plugin);
    expect(await host.run("before_tool_call", { toolName: "read", params: {} })).toBeUndefined();
    expect(await host.run("before_tool_call", { toolName: "send_mail", params: { to: "a@b" } })).toMatchObject({
      requireApproval: {
        title: "Send mail",
        description: "To: a@b",
        severity: "warning",
        timeoutMs: 45_000,
        timeoutBehavior: "deny",
        pluginId: "mail-check",
      },
    });
  });

  test("handlers run one after another by priority, in order of registration if it is equal", async () => {
    const { host } = hosted();
    const order: string[] = [];
    const named = (name: string) => async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    host.use(
      entry((api) => {
        api.on("message_sending", named("low"), { priority: 1 });
        api.on("message_sending", named("first"), { priority: 7 });
        api.on("message_sending", named("second"), { priority: 7 });
      }),
    );
    await host.run("message_sending", { content: "x" });
    expect(order).toEqual(["first", "second", "low"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});

/** By the page's groups. `true`: its answer decides something. */
const CATALOGUE: Readonly<
  Record<string, Partial<Record<HookName, readonly [answer: unknown, result: unknown] | "watches">>>
> = {
  "agent turn": {
    before_model_resolve: [
      { providerOverride: "p", modelOverride: "m" },
      { providerOverride: "p", modelOverride: "m" },
    ],
    before_prompt_build: [{ prependContext: "c" }, { prependContext: "c" }],
    before_agent_start: [
      { prependContext: "c", modelOverride: "m" },
      { prependContext: "c", modelOverride: "m" },
    ],
    before_agent_reply: [
      { handled: true, reply: { text: "r" } },
      { handled: true, reply: { text: "r" } },
    ],
    before_agent_finalize: [
      { action: "revise", reason: "r" },
      { action: "revise", reason: "r" },
    ],
    agent_end: "watches",
  },
  "conversation observation": {
    model_call_started: "watches",
    model_call_ended: "watches",
    llm_input: "watches",
    llm_output: "watches",
  },
  tools: {
    before_tool_call: [
      { block: true, blockReason: "r" },
      { block: true, blockReason: "r" },
    ],
    after_tool_call: "watches",
    tool_result_persist: [{ message: { content: "m" } }, { message: { content: "m" } }],
    before_message_write: [{ block: true }, { block: true }],
  },
  "messages and delivery": {
    inbound_claim: [{ handled: true }, { handled: true }],
    message_received: "watches",
    message_sending: [{ content: "c" }, { content: "c" }],
    message_sent: "watches",
    before_dispatch: [
      { handled: true, text: "t" },
      { handled: true, text: "t" },
    ],
    reply_dispatch: [{ handled: true }, { handled: true }],
  },
  "sessions and compaction": {
    session_start: "watches",
    session_end: "watches",
    before_compaction: "watches",
    after_compaction: "watches",
    before_reset: "watches",
  },
  subagents: {
    subagent_spawning: [
      { status: "error", error: "e" },
      { status: "error", error: "e" },
    ],
    subagent_delivery_target: [{ origin: { to: "o" } }, { origin: { to: "o" } }],
    subagent_spawned: "watches",
    subagent_ended: "watches",
  },
  lifecycle: {
    gateway_start: "watches",
    gateway_stop: "watches",
    before_install: [{ findings: [{ id: 1 }] }, { findings: [{ id: 1 }] }],
  },
};

const settled = settingsOf("ours", { allowConversationAccess: true });

describe("the hook catalog", () => {
  test.each(Object.keys(CATALOGUE))(
    "every hook of %s is called, and its answer counts where the page says so",
    async (group) => {
      for (const [hook, means] of Object.entries(CATALOGUE[group]!) as [HookName, readonly unknown[] | "watches"][]) {
        const { host } = hosted({ config: settled });
        const seen = recording(() => (means === "watches" ? { block: true, cancel: true, handled: true } : means[0]));
        host.use(entry((api) => api.on(hook, seen.handler)));
        const result = await host.run(hook, { runId: "r", toolName: "exec" });
        expect([hook, result]).toEqual([hook, means === "watches" ? undefined : means[1]]);
        expect(seen.events).toMatchObject([{ runId: "r" }]);
      }
    },
  );

  test("has no hook that the host does not have", () => {
    const named = Object.values(CATALOGUE).flatMap((group) => Object.keys(group));
    expect(named.filter((hook) => !(HOOK_NAMES as readonly string[]).includes(hook))).toEqual([]);
    expect(named).toHaveLength(32);
  });
});

describe("the tool call policy", () => {
  test("has an event and a context with the fields of the page", async () => {
    const { host } = hosted();
    const seen: unknown[] = [];
    host.on("before_tool_call", (event, ctx) => void seen.push(event, ctx));
    const ctx = { agentId: "a", sessionKey: "k", sessionId: "s", runId: "r", jobId: "j", trace: { traceId: "t" } };
    await host.toolCall(
      { toolName: "exec", params: { command: "ls" }, runId: "r", toolCallId: "c" },
      { execute: () => 0 },
      ctx,
    );
    expect(seen).toMatchObject([{ toolName: "exec", params: { command: "ls" }, runId: "r", toolCallId: "c" }, ctx]);
  });

  const ran = async (...answers: readonly object[]) => {
    const { host } = hosted();
    const asked: unknown[] = [];
    answers.forEach((answer, index) => void host.on("before_tool_call", () => answer, { priority: -index }));
    const result = await host.toolCall(
      { toolName: "exec", params: { command: "ls" } },
      {
        execute: (params) => params,
        approve: (one) => {
          asked.push(one.title);
          return "allow-once";
        },
      },
    );
    return { result, asked };
  };
  const approval = { title: "T", description: "D" };

  test("block: true ends it, and block: false is no decision", async () => {
    expect((await ran({ block: true, blockReason: "b" }, { params: { command: "x" } })).result).toEqual({
      status: "blocked",
      reason: "b",
    });
    expect((await ran({ block: false }, { params: { command: "x" } })).result).toMatchObject({
      params: { command: "x" },
    });
  });

  test("requireApproval pauses the run, and a lower block still blocks", async () => {
    expect(await ran({ requireApproval: approval })).toMatchObject({ result: { status: "executed" }, asked: ["T"] });
    expect(await ran({ requireApproval: approval }, { block: true, blockReason: "b" })).toEqual({
      result: { status: "blocked", reason: "b" },
      asked: [],
    });
  });

  test.each(["allow-once", "allow-always", "deny", "timeout", "cancelled"] as const)(
    "onResolution receives %s",
    async (decision) => {
      const { host } = hosted();
      const told: string[] = [];
      const onResolution = (one: string): void => void told.push(one);
      host.on("before_tool_call", () => ({ requireApproval: { ...approval, onResolution } }));
      await host.beforeToolCall({ toolName: "exec", params: {} }, {}, { approve: () => decision });
      expect(told).toEqual([decision]);
    },
  );
});

describe("prompt and model hooks", () => {
  test("settings of the page's form allow seeing conversations, and forbid changing prompts", () => {
    const hooks: HookName[] = ["llm_input", "llm_output", "before_agent_finalize", "agent_end", "before_prompt_build"];
    const open = (settings: object, compat: "safer" | "faithful" = "faithful") => {
      const { host } = hosted({ config: { plugins: { entries: { ours: { hooks: settings } } } }, compat });
      host.use(
        entry((api) => {
          for (const hook of hooks) api.on(hook, () => {});
        }),
      );
      return hooks.filter((hook) => host.hasHooks(hook));
    };
    expect(open({})).toEqual(["before_prompt_build"]);
    // Newer versions of OpenClaw need a setting for it as well.
    expect(open({}, "safer")).toEqual([]);
    expect(open({ allowConversationAccess: true })).toEqual(hooks);
    expect(open({ allowConversationAccess: true, allowPromptInjection: false })).toEqual(hooks.slice(0, 4));
  });

  test.each([
    [{ action: "revise", reason: "add a test" }],
    [{ action: "finalize" }],
    [{ action: "finalize", reason: "good enough" }],
    [undefined],
  ])("before_agent_finalize may return %j", async (answer) => {
    const { host } = hosted();
    host.on("before_agent_finalize", () => answer);
    expect(await host.run("before_agent_finalize", { lastAssistantMessage: "done" })).toEqual(answer);
  });

  test("before_prompt_build adds to prompt and system prompt", async () => {
    const { host } = hosted();
    const answer = { prependContext: "a", systemPrompt: "b", prependSystemContext: "c", appendSystemContext: "d" };
    host.on("before_prompt_build", () => answer);
    expect(await host.run("before_prompt_build", { prompt: "p", messages: [] })).toEqual(answer);
  });

  test.each(["before_agent_start", "agent_end"] as const)(
    "event and context of %s have the run's id if one of the two has it",
    async (hook) => {
      const { host } = hosted();
      const seen: unknown[] = [];
      host.on(hook, (event, ctx) => void seen.push([event.runId, ctx.runId, ctx.jobId]));
      await host.run(hook, { runId: "r", success: true }, { jobId: "j" });
      await host.run(hook, { success: true }, { runId: "r", jobId: "j" });
      await host.run(hook, { success: true }, {});
      expect(seen).toEqual([
        ["r", "r", "j"],
        ["r", "r", "j"],
        [undefined, undefined, undefined],
      ]);
    },
  );
});

describe("message hooks", () => {
  test("cancel: true ends it, cancel: false is no decision, and rewritten content goes to the next handler", async () => {
    const { host } = hosted();
    const last = recording();
    host.on("message_sending", () => ({ cancel: false, content: "one" }), { priority: 3 });
    host.on("message_sending", ({ content }) => ({ content: `${content} two`, cancel: true }), { priority: 2 });
    host.on("message_sending", last.handler, { priority: 1 });
    expect(await host.run("message_sending", { content: "zero" })).toEqual({ content: "one two", cancel: true });
    expect(last.events).toEqual([]);
  });

  test("message_received has the page's fields in event and context", async () => {
    const { host } = hosted();
    const seen: Record<string, unknown>[] = [];
    host.on("message_received", (event, ctx) => void seen.push(event, { ...ctx }));
    const event = {
      content: "c",
      threadId: "t",
      messageId: "m",
      senderId: "s",
      replyToId: "q",
      metadata: { channel: "x" },
    };
    const ctx = { sessionKey: "k", runId: "r", trace: { traceId: "1", spanId: "2", parentSpanId: "3", callDepth: 0 } };
    await host.run("message_received", event, ctx);
    expect(seen[0]).toEqual(event);
    expect(seen[1]).toMatchObject({
      ...ctx,
      messageId: "m",
      senderId: "s",
      traceId: "1",
      spanId: "2",
      parentSpanId: "3",
      callDepth: 0,
    });
  });
});

describe("install and lifecycle hooks", () => {
  test("before_install adds findings or blocks; block: false is no decision", async () => {
    const { host } = hosted();
    host.on("before_install", () => ({ findings: ["f"], block: false }), { priority: 2 });
    host.on("before_install", () => ({ block: true, blockReason: "unsigned" }), { priority: 1 });
    expect(await host.run("before_install", { name: "skill" })).toEqual({
      findings: ["f"],
      block: true,
      blockReason: "unsigned",
    });
  });

  test("gateway_start has the settings, the workspace and the scheduler", async () => {
    const { host } = hosted();
    const seen: unknown[] = [];
    host.on("gateway_start", (_, ctx) => void seen.push(ctx.config, ctx.workspaceDir, ctx.getCron?.()));
    await host.run("gateway_start", { port: 1 }, { config: { a: 1 }, workspaceDir: "/w", getCron: () => "cron" });
    expect(seen).toEqual([{ a: 1 }, "/w", "cron"]);
  });
});

test("the page's map names tests that exist", () => {
  const cases = FAMILIES.flatMap(({ cases }) => cases.map(({ id }) => id));
  const here = readFileSync(import.meta.filename, "utf8");
  const there = readFileSync(new URL("../hosts/openclaw/sync-hooks.test.ts", import.meta.url), "utf8");
  const named = openclawPage.sections.flatMap((section) => ("tests" in section ? section.tests : []));
  const missing = named.filter(
    (one) => !cases.includes(one) && !here.includes(`"${one}"`) && !there.includes(`"${one}"`),
  );
  expect(missing).toEqual([]);
});
