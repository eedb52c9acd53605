import { describe, expect, test } from "vitest";
import { definePluginEntry, type HookName, type PluginApi } from "../../../src/hosts/openclaw/index.ts";
import { call, hosted, recording, settingsOf } from "./hosted.ts";

const plugin = (id: string, register: (api: PluginApi) => void) => definePluginEntry({ id, name: id, register });

describe("a matcher", () => {
  test.each([
    [["exec"], "web_search", false],
    [["exec"], "exec", true],
    [["exec"], "bash", true],
    [[" EXEC ", "exec"], "Exec", true],
    [["web_fetch", "read"], "read", true],
    [undefined, "anything", true],
  ])("OC-22: %j is for %s: %s", async (matcher, toolName, isFor) => {
    const { host } = hosted();
    const seen = recording();
    host.on("before_tool_call", seen.handler, matcher === undefined ? {} : { matcher });
    await host.run("before_tool_call", { ...call, toolName });
    expect(seen.events.length).toBe(isFor ? 1 : 0);
  });

  const sparse: string[] = [];
  sparse[0] = "exec";
  sparse[2] = "read";
  test.each([
    [["Agent"]],
    [["*"]],
    [[]],
    ["exec"],
    [sparse],
    [[""]],
    [["  "]],
    [["exec", 7]],
    [["bash"]],
    [["exec_command"]],
    [["apply-patch"]],
    [["write"]],
    [["edit"]],
    [null],
  ])("OC-22: %j is refused when it is registered", (matcher) => {
    const { host } = hosted();
    expect(() => host.on("before_tool_call", () => {}, { matcher: matcher as string[] })).toThrow(
      expect.objectContaining({ code: "HOOK_API_MISUSE" }),
    );
    expect(host.hasHooks("before_tool_call")).toBe(false);
  });

  test("is refused at a hook that is about no tool", () => {
    expect(() => hosted().host.on("message_sent", () => {}, { matcher: ["exec"] })).toThrow("takes no matcher");
  });
});

describe("a host without handlers", () => {
  test("OC-28: says so, and nothing comes of a hook", async () => {
    const { host } = hosted();
    expect(host.hasHooks("before_tool_call")).toBe(false);
    expect(await host.run("before_tool_call", { ...call })).toBeUndefined();
    expect(await host.run("message_sent", {})).toBeUndefined();
    host.on("before_tool_call", () => {});
    expect(host.hasHooks("before_tool_call")).toBe(true);
  });
});

describe("a plugin", () => {
  test("registers while it is being registered, and not later", async () => {
    const { host, warnings } = hosted();
    let kept: PluginApi | undefined;
    host.use(
      plugin("late", (api) => {
        kept = api;
        api.on("message_sent", () => {});
      }),
    );
    kept?.on("message_received", () => {});
    expect([host.hasHooks("message_sent"), host.hasHooks("message_received")]).toEqual([true, false]);
    expect(warnings).toEqual([expect.stringContaining("is ignored")]);
  });

  test("that registers when it has waited for something is told that it is too late", async () => {
    const { host, warnings } = hosted();
    host.use(
      // What a plugin in JavaScript may well be.
      plugin("slow", (async (api: PluginApi) => {
        await Promise.resolve();
        api.on("message_sent", () => {});
      }) as unknown as (api: PluginApi) => void),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(host.hasHooks("message_sent")).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  test("that cannot be registered does not go unnoticed, and leaves nothing", () => {
    const { host } = hosted();
    const broken = plugin("broken", (api) => {
      api.on("message_sent", () => {});
      throw new Error("no licence");
    });
    expect(() => host.use(broken)).toThrow("no licence");
    expect(host.hasHooks("message_sent")).toBe(false);
  });

  test.each([
    ["hook", ["before_tool_cal", () => {}], 'did you mean "before_tool_call"?'],
    ["handler", ["message_sent", "echo"], undefined],
    ["priority", ["message_sent", () => {}, { priority: "high" }], undefined],
    ["priority", ["message_sent", () => {}, { priority: Number.NaN }], undefined],
  ] as const)("cannot register a %s that is none: %j", (_, args, hint) => {
    const { host } = hosted();
    const register = (api: PluginApi): void => api.on(...(args as unknown as Parameters<PluginApi["on"]>));
    expect(() => host.use(plugin("p", register))).toThrow(
      expect.objectContaining({ code: "HOOK_API_MISUSE", ...(hint === undefined ? {} : { hint }) }),
    );
  });

  test.each(["", "host", 7])("needs an id of its own, not %j", (id) => {
    expect(() => hosted().host.use(plugin(id as string, () => {}))).toThrow("id of its own");
  });

  test("is registered once", () => {
    const { host } = hosted();
    host.use(plugin("p", () => {}));
    expect(() => host.use(plugin("p", () => {}))).toThrow("already");
  });
});

describe("what an operator allows", () => {
  const PAGE: HookName[] = ["llm_input", "llm_output", "before_agent_finalize", "agent_end"];
  const CODE: HookName[] = ["before_model_resolve", "before_agent_reply", "before_agent_run"];
  const PROMPT: HookName[] = [
    "agent_turn_prepare",
    "before_prompt_build",
    "before_agent_start",
    "heartbeat_prompt_contribution",
  ];
  const registered = (
    hooks: HookName[],
    settings: unknown,
    options: { compat?: "faithful"; bundled?: boolean } = {},
  ) => {
    const { compat, ...use } = options;
    const { host, warnings } = hosted({
      config: settingsOf("p", settings),
      ...(compat === undefined ? {} : { compat }),
    });
    host.use(
      plugin("p", (api) => {
        for (const hook of hooks) api.on(hook, () => {});
      }),
      use,
    );
    return { hooks: hooks.filter((hook) => host.hasHooks(hook)), warnings };
  };

  test("a plugin needs leave to see conversations", () => {
    expect(registered([...PAGE, ...CODE], {}).hooks).toEqual([]);
    expect(registered([...PAGE, ...CODE], {}).warnings[0]).toContain("allowConversationAccess=true");
    expect(registered([...PAGE, ...CODE], { allowConversationAccess: true }).hooks).toEqual([...PAGE, ...CODE]);
    expect(registered([...PAGE, ...CODE], { allowConversationAccess: "yes" }).hooks).toEqual([]);
  });

  test("a bundled plugin needs none, and to the letter of the page four hooks do", () => {
    expect(registered([...PAGE, ...CODE], {}, { bundled: true }).hooks).toEqual([...PAGE, ...CODE]);
    expect(registered([...PAGE, ...CODE], {}, { compat: "faithful" }).hooks).toEqual(CODE);
  });

  test("a plugin can be kept from changing prompts", () => {
    expect(registered(PROMPT, {}).hooks).toEqual(PROMPT);
    expect(registered(PROMPT, { allowPromptInjection: true }).hooks).toEqual(PROMPT);
    expect(registered(PROMPT, { allowPromptInjection: false }).hooks).toEqual([]);
    expect(registered(PROMPT, { allowPromptInjection: 0 }).hooks).toEqual([]);
  });

  test.each([
    7,
    [],
    { plugins: 7 },
    { plugins: { entries: [] } },
    settingsOf("p", 7),
    settingsOf("p", { timeouts: [] }),
  ])("settings that cannot be read are told of, and do no harm: %j", (config) => {
    expect(hosted({ config }).warnings).toHaveLength(1);
  });
});
