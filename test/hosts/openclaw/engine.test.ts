import { afterEach, describe, expect, test } from "vitest";
import { createEngine, type Engine, type RuleInput } from "../../../src/index.ts";
import { call, hosted, question, recording } from "./hosted.ts";

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function withRules(rules: readonly RuleInput[], config?: unknown) {
  const engine = await createEngine({
    dialect: "openclaw",
    cacheDir: false,
    ...(config === undefined ? {} : { config }),
  });
  engines.push(engine);
  await engine.register(rules);
  return hosted({ engine });
}

const rule = (event: string, run: RuleInput["run"], fields: object = {}): RuleInput =>
  ({ event, type: "function", run, ...fields }) as RuleInput;
const says = (event: string, fields: object): RuleInput =>
  rule(event, (() => ({ hookSpecificOutput: { hookEventName: event, ...fields } })) as never);

describe("an engine's rules next to plugins", () => {
  test("judge a tool call after the plugins' changes, in canonical form", async () => {
    const seen: unknown[] = [];
    const { host } = await withRules([
      rule(
        "PreToolUse",
        ((event: Record<string, unknown>) => {
          seen.push(event);
          return {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "not that",
            },
          };
        }) as never,
        { matcher: "Read" },
      ),
    ]);
    host.on("before_tool_call", () => ({ params: { path: "/etc/shadow" } }));
    const ran = await host.toolCall(
      { toolName: "read", params: { path: "notes.md", limit: 3 }, toolCallId: "c" },
      { execute: () => expect.unreachable() },
      { sessionId: "s", workspaceDir: "/w" },
    );
    expect(ran).toMatchObject({ status: "blocked", reason: expect.stringContaining("not that") });
    expect(seen).toMatchObject([
      {
        tool_name: "Read",
        tool_input: { file_path: "/etc/shadow", limit: 3 },
        tool_use_id: "c",
        session_id: "s",
        cwd: "/w",
      },
    ]);
  });

  test("are not asked after a plugin has blocked", async () => {
    let asked = 0;
    const { host } = await withRules([
      rule("PreToolUse", (() => {
        asked += 1;
      }) as never),
    ]);
    host.on("before_tool_call", () => ({ block: true, blockReason: "first" }));
    expect(await host.run("before_tool_call", { ...call })).toEqual({ block: true, blockReason: "first" });
    expect(asked).toBe(0);
  });

  test("ask the user, and change what runs", async () => {
    const { host } = await withRules([
      says("PreToolUse", {
        permissionDecision: "ask",
        permissionDecisionReason: "sure?",
        updatedInput: { file_path: "b" },
      }),
    ]);
    const asked: unknown[] = [];
    const ran = await host.toolCall(
      { toolName: "read", params: { path: "a", limit: 1 } },
      {
        execute: (params) => params,
        approve: (one) => {
          asked.push(one);
          return "allow-once";
        },
      },
    );
    expect(ran).toMatchObject({ status: "executed", params: { path: "b", limit: 1 } });
    expect(asked).toMatchObject([
      { pluginId: "hookbox", description: expect.stringContaining("sure?"), params: { path: "b", limit: 1 } },
    ]);
  });

  test("may still change a call that a plugin asks about; the question shows the change", async () => {
    const { host } = await withRules([says("PreToolUse", { updatedInput: { command: "ls -n" } })]);
    host.on("before_tool_call", () => question());
    const shown: unknown[] = [];
    await host.toolCall(
      { toolName: "exec", params: { command: "ls" } },
      {
        execute: (params) => expect(params).toEqual({ command: "ls -n" }),
        approve: (one) => {
          shown.push(one.params);
          return "allow-once";
        },
      },
    );
    expect(shown).toEqual([{ command: "ls -n" }]);
  });

  test("shut the gate for input that they cannot be shown", async () => {
    const { host, errors } = await withRules([rule("PreToolUse", (() => undefined) as never)]);
    const ran = await host.toolCall(
      { toolName: "exec", params: { map: new Map() } },
      { execute: () => expect.unreachable() },
    );
    expect(ran).toMatchObject({ status: "blocked", reason: expect.stringContaining("hook failed") });
    expect(errors[0]).toContain("not JSON");
  });

  test("judge with a guard in its sandbox a call that a plugin has changed", async () => {
    const module = "builtin:shell-guard";
    const config = {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", name: "shell-guard", module }] }] },
    };
    const { host } = await withRules([], config);
    host.on("before_tool_call", ({ params }) =>
      params.command === "tidy" ? { params: { command: "rm -rf /" } } : undefined,
    );
    const run = (command: string) => host.toolCall({ toolName: "exec", params: { command } }, { execute: () => "ran" });
    expect(await run("ls")).toMatchObject({ status: "executed" });
    expect(await run("tidy")).toMatchObject({ status: "blocked", reason: expect.stringContaining("shell-guard") });
    expect(await run("rm -rf /")).toMatchObject({ status: "blocked" });
  });

  test("stop a message and an installation, and refuse a run", async () => {
    const block = { decision: "block", reason: "not now" };
    const { host } = await withRules(
      ["MessageSending", "BeforeInstall", "BeforeAgentRun"].map((event) => rule(event, (() => block) as never)),
    );
    const reason = expect.stringContaining("not now");
    host.on("message_sending", () => ({ content: "rewritten" }));
    expect(await host.run("message_sending", { content: "c" })).toEqual({ content: "rewritten", cancel: true });
    expect(await host.run("before_install", { name: "skill" })).toEqual({ block: true, blockReason: reason });
    expect(await host.beforeAgentRun({ prompt: "p" })).toMatchObject({ outcome: "block", reason });
  });

  test("do not stop a run without an objection", async () => {
    const { host } = await withRules([rule("BeforeAgentRun", (() => undefined) as never)]);
    expect(await host.beforeAgentRun({ prompt: "p" })).toEqual({ outcome: "pass" });
  });

  test("rewrite what is sent and what is stored of a tool's result, and observe events", async () => {
    const heard: unknown[] = [];
    const { host } = await withRules([
      says("MessageSending", { updatedToolOutput: "clean" }),
      says("ToolResultPersist", { updatedToolOutput: { role: "toolResult", toolName: "exec", content: "clean" } }),
      rule("PostToolUse", ((event: unknown) => void heard.push(event)) as never),
    ]);
    expect(await host.run("message_sending", { content: "dirty" })).toEqual({ content: "clean" });
    const ran = await host.toolCall(call, { execute: () => "dirty" });
    expect(ran).toMatchObject({ message: { content: "clean" }, replay: { content: "clean" } });
    await host.settled();
    expect(heard).toMatchObject([{ tool_name: "Bash", tool_response: "dirty" }]);
    expect(host.hasHooks("after_tool_call")).toBe(true);
  });

  test("fail closed: a rule that throws blocks the call", async () => {
    const { host } = await withRules([
      rule("PreToolUse", (() => {
        throw new Error("broken");
      }) as never),
    ]);
    const low = recording();
    host.on("before_tool_call", low.handler);
    expect((await host.toolCall(call, { execute: () => expect.unreachable() })).status).toBe("blocked");
    expect(low.events).toHaveLength(1);
  });
});

describe("an engine's rules that cannot be asked", () => {
  const silent = (event: string): RuleInput => rule(event, (() => ({})) as never);

  test("keep the tool call shut, even if plugins' failures open it", async () => {
    const engine = await createEngine({ dialect: "openclaw", cacheDir: false });
    engines.push(engine);
    await engine.register([silent("PreToolUse")]);
    const { host, errors } = hosted({ engine, failurePolicy: { before_tool_call: "open" } });
    const odd = { ...call, params: { at: new Date(0) } };
    expect(await host.toolCall(odd, { execute: () => expect.unreachable() })).toMatchObject({ status: "blocked" });
    expect(errors.join()).toContain("not JSON");
    expect(await host.toolCall(call, { execute: () => "ran" })).toMatchObject({ status: "executed" });
  });

  test.each([
    ["message_sending", "MessageSending"],
    ["reply_payload_sending", "ReplyPayloadSending"],
    ["subagent_spawning", "SubagentSpawning"],
  ] as const)("let nothing pass %s, where plugins' failures do", async (hook, event) => {
    const { host } = await withRules([silent(event)]);
    host.on(hook, () => {
      throw new Error("broken");
    });
    expect(await host.run(hook, { content: "x" })).toBeUndefined();
    await expect(host.run(hook, { content: "x", at: new Date(0) })).rejects.toThrow(
      `Blocked because ${hook} hook failed`,
    );
  });

  test("are asked about a write by a caller that can wait, and stop it for a caller that cannot", async () => {
    const { host, errors } = await withRules([
      rule("BeforeMessageWrite", ((event: { tool_response: { content: string } }) =>
        event.tool_response.content === "fine" ? {} : { decision: "block", reason: "no" }) as never),
    ]);
    const message = (content: string) => ({ message: { role: "assistant", content } });
    expect(await host.run("before_message_write", message("fine"))).toBeUndefined();
    expect(await host.run("before_message_write", message("foul"))).toMatchObject({ block: true });
    host.on("before_message_write", () => message("foul"));
    expect(await host.run("before_message_write", message("fine"))).toMatchObject({ block: true });
    await expect(host.run("before_message_write", { at: new Date(0) })).rejects.toThrow("before_message_write");
    expect(host.runSync("before_message_write", message("fine"))).toMatchObject({ block: true });
    expect(errors.at(-1)).toContain("use run");
  });

  test("cannot keep an answer from being final", async () => {
    const { host } = await withRules([silent("Stop")]);
    expect(await host.run("before_agent_finalize", { at: new Date(0) })).toBeUndefined();
  });

  test("for a tool are found in any spelling of its name", async () => {
    const { host } = await withRules([
      rule(
        "PreToolUse",
        (() => ({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } })) as never,
        {
          matcher: "my_tool",
        },
      ),
    ]);
    expect(await host.run("before_tool_call", { toolName: " My_Tool", params: {} })).toMatchObject({ block: true });
  });
});
