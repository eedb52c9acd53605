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
  ])("OC-22: %j matches %s: %s", async (matcher, toolName, isFor) => {
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
  ])("OC-22: %j is refused at registration", (matcher) => {
    const { host } = hosted();
    expect(() => host.on("before_tool_call", () => {}, { matcher: matcher as string[] })).toThrow(
      expect.objectContaining({ code: "HOOK_API_MISUSE" }),
    );
    expect(host.hasHooks("before_tool_call")).toBe(false);
  });

  test("is refused at a hook without a tool", () => {
    expect(() => hosted().host.on("message_sent", () => {}, { matcher: ["exec"] })).toThrow("takes no matcher");
  });
});

describe("a host without handlers", () => {
  test("OC-28: reports this, and its hooks have no effect", async () => {
    const { host } = hosted();
    expect(host.hasHooks("before_tool_call")).toBe(false);
    expect(await host.run("before_tool_call", { ...call })).toBeUndefined();
    expect(await host.run("message_sent", {})).toBeUndefined();
    host.on("before_tool_call", () => {});
    expect(host.hasHooks("before_tool_call")).toBe(true);
  });
});

describe("a plugin", () => {
  test("registers during its registration, and not later", async () => {
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

  test("that registers after waiting is told that it is too late", async () => {
    const { host, warnings } = hosted();
    host.use(
      // A plugin in JavaScript may be asynchronous.
      plugin("slow", (async (api: PluginApi) => {
        await Promise.resolve();
        api.on("message_sent", () => {});
      }) as unknown as (api: PluginApi) => void),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(host.hasHooks("message_sent")).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  test("that cannot be registered is reported, and leaves nothing", () => {
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
  ] as const)("cannot register an invalid %s: %j", (_, args, hint) => {
    const { host } = hosted();
    const register = (api: PluginApi): void => api.on(...(args as unknown as Parameters<PluginApi["on"]>));
    expect(() => host.use(plugin("p", register))).toThrow(
      expect.objectContaining({ code: "HOOK_API_MISUSE", ...(hint === undefined ? {} : { hint }) }),
    );
  });

  test.each([
    "cron_changed",
    "cron_reconciled",
    "subagent_progress",
    "channel_pairing_requested",
    "skill_proposal_changed",
  ] as const)("may watch %s, which newer versions have", async (hook) => {
    const { host, warnings } = hosted();
    const seen = recording(() => ({ block: true }));
    host.use(plugin("p", (api) => api.on(hook, seen.handler)));
    expect(await host.run(hook, { runId: "r" })).toBeUndefined();
    expect(seen.events).toEqual([{ runId: "r" }]);
    expect(warnings).toEqual([]);
  });

  test("OC-31: at a hook that the host does not know is kept, with a warning, and gets what the embedder runs", async () => {
    const { host, warnings } = hosted();
    const seen = recording();
    host.use(plugin("p", (api) => api.on("moon_phase_changed", seen.handler)));
    expect(warnings).toEqual([expect.stringContaining('this host knows no hook "moon_phase_changed"')]);
    expect(host.hasHooks("moon_phase_changed")).toBe(true);
    await host.run("moon_phase_changed", { phase: "new" });
    expect(seen.events).toEqual([{ phase: "new" }]);
    await expect(host.run("sun_rises_today", {})).rejects.toMatchObject({ code: "HOOK_API_MISUSE" });
  });

  test.each([
    ["before_agent_reply", { eligibleTriggers: ["cron", "heartbeat"] }, { trigger: "user" }, 0],
    ["before_agent_reply", { eligibleTriggers: ["cron", "heartbeat"] }, { trigger: "cron" }, 1],
    ["before_agent_reply", { eligibleTriggers: ["cron"] }, {}, 1],
    ["before_agent_reply", { eligibleTriggers: [] }, { trigger: "user" }, 1],
    ["before_agent_reply", { eligibleTriggers: ["cron", "moon"] }, { trigger: "user" }, 1],
    ["reply_dispatch", { eligibleDispatchKinds: ["acp"] }, { dispatchKind: "agent" }, 0],
    ["reply_dispatch", { eligibleDispatchKinds: ["acp"] }, { dispatchKind: "acp" }, 1],
    ["message_received", { eligibleTriggers: ["cron"] }, { trigger: "user" }, 1],
  ] as const)("OC-32: at %s with %j is asked of a run with %j: %d", async (hook, options, ctx, times) => {
    const { host } = hosted({ config: settingsOf("p", { allowConversationAccess: true }) });
    const seen = recording();
    host.use(plugin("p", (api) => api.on(hook, seen.handler, options)));
    await host.run(hook, { runId: "r" }, ctx);
    expect(seen.events).toHaveLength(times);
  });

  test("OC-33: has a logger, the settings and its own configuration", () => {
    const config = { plugins: { entries: { p: { config: { level: 3 } } } } };
    const { host, warnings, errors } = hosted({ config });
    const given: unknown[] = [];
    host.use(
      plugin("p", ({ logger, ...api }) => {
        given.push(api.config, api.pluginConfig);
        logger.debug("d");
        logger.info("i");
        logger.warn("on\ntwo lines");
        logger.error("password=hunter22");
      }),
    );
    expect(given).toEqual([config, { level: 3 }]);
    expect(warnings).toEqual(['plugin "p": on two lines']);
    expect(errors).toEqual(['plugin "p": password=***']);
  });

  test.each(["", "host", 7])("needs a valid id, not %j", (id) => {
    expect(() => hosted().host.use(plugin(id as string, () => {}))).toThrow("id of its own");
  });

  test("is registered once", () => {
    const { host } = hosted();
    host.use(plugin("p", () => {}));
    expect(() => host.use(plugin("p", () => {}))).toThrow("already");
  });
});

describe("the operator's settings", () => {
  const PAGE: HookName[] = ["llm_input", "llm_output", "before_agent_finalize", "agent_end"];
  const CODE: HookName[] = [
    "before_model_resolve",
    "agent_turn_prepare",
    "before_prompt_build",
    "before_agent_reply",
    "before_agent_run",
  ];
  const PROMPT: HookName[] = [
    "agent_turn_prepare",
    "before_prompt_build",
    "before_agent_start",
    "heartbeat_prompt_contribution",
  ];
  const MAY_SEE = { allowConversationAccess: true };
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

  test("must allow a plugin to see conversations", () => {
    expect(registered([...PAGE, ...CODE], {}).hooks).toEqual([]);
    expect(registered([...PAGE, ...CODE], {}).warnings[0]).toContain("allowConversationAccess=true");
    expect(registered([...PAGE, ...CODE], { allowConversationAccess: true }).hooks).toEqual([...PAGE, ...CODE]);
    expect(registered([...PAGE, ...CODE], { allowConversationAccess: "yes" }).hooks).toEqual([]);
  });

  test("need not allow it for a bundled plugin, and to the letter of the page only for four hooks", () => {
    expect(registered([...PAGE, ...CODE], {}, { bundled: true }).hooks).toEqual([...PAGE, ...CODE]);
    expect(registered([...PAGE, ...CODE], {}, { compat: "faithful" }).hooks).toEqual(CODE);
  });

  test("can forbid a plugin to change prompts", () => {
    expect(registered(PROMPT, MAY_SEE).hooks).toEqual(PROMPT);
    expect(registered(PROMPT, { ...MAY_SEE, allowPromptInjection: true }).hooks).toEqual(PROMPT);
    expect(registered(PROMPT, { ...MAY_SEE, allowPromptInjection: false }).hooks).toEqual([]);
    expect(registered(PROMPT, { ...MAY_SEE, allowPromptInjection: 0 }).hooks).toEqual([]);
    expect(registered(PROMPT, {}).hooks).toEqual(["before_agent_start", "heartbeat_prompt_contribution"]);
  });

  test.each([
    7,
    [],
    { plugins: 7 },
    { plugins: { entries: [] } },
    settingsOf("p", 7),
    settingsOf("p", { timeouts: [] }),
  ])("that cannot be read are reported, and do no harm: %j", (config) => {
    expect(hosted({ config }).warnings).toHaveLength(1);
  });
});
