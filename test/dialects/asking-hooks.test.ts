import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { JUDGE_NAMES } from "../../src/dialects/agents-judges.ts";
import { SPEAKERS } from "../../src/dialects/registry.ts";
import { GUARD_OF_JUDGE, SHIPPED_GUARDS } from "../../src/dialects/shipped-guards.ts";
import { createEngine } from "../../src/engine.ts";
import { BUILTINS } from "../../src/events/builtins.ts";
import { ANSWERS } from "../../src/rule.ts";
import { BUILTIN_GUARDS } from "../../src/sandbox/modules/builtin-guards.ts";
import { folderWith, whereIs } from "../config/config-files.ts";
import { FORMATS, parse, parseHandler } from "./parse.ts";

/** Hooks that ask a model, an agent or an MCP server, and built-in hooks. */

describe.each(FORMATS)("in a %s file", (format) => {
  test("a judge has half a minute and 1,024 tokens, and never permits", async () => {
    const { rule, problems } = await parseHandler(format, { type: "prompt", prompt: "Fine? $ARGUMENTS" });
    expect(problems).toEqual([]);
    expect(rule).toMatchObject({ name: "model", timeoutMs: 30_000, may: ["deny", "ask", "context"] });
    expect(rule?.handler).toEqual({
      type: "model",
      model: undefined,
      prompt: "Fine? $ARGUMENTS",
      template: "arguments",
      answer: "ok",
      continueOnBlock: false,
      redacts: true,
      maxTokens: 1_024,
    });
  });

  test("a judge may name its model, and may let the agent go on", async () => {
    const fields = { prompt: "Fine?", model: "haiku", continueOnBlock: true, timeout: 5 };
    const { rule } = await parseHandler(format, { type: "prompt", ...fields });
    expect(rule).toMatchObject({ name: "haiku", timeoutMs: 5_000 });
    expect(rule?.handler).toMatchObject({ model: "haiku", continueOnBlock: true });
  });

  test("an agent has a minute, 50 turns and 200,000 tokens, and never permits", async () => {
    const { rule, problems } = await parseHandler(format, { type: "agent", prompt: "Look around." });
    expect(problems).toEqual([]);
    expect(rule).toMatchObject({ timeoutMs: 60_000, may: ["deny", "ask", "context"] });
    expect(rule?.handler).toEqual({
      type: "agent",
      model: undefined,
      prompt: "Look around.",
      redacts: true,
      maxTurns: 50,
      maxTokens: 200_000,
    });
  });

  test("an MCP tool has the time of a command, and may give every answer of a command", async () => {
    const input = { path: "${tool_input.file_path}", deep: [1, { a: null }] };
    const { rule, problems } = await parseHandler(format, { type: "mcp_tool", server: "s", tool: "t", input });
    expect(problems).toEqual([]);
    const usual = await parseHandler(format, { type: "command", command: "a" });
    expect(rule).toMatchObject({ name: "s/t", timeoutMs: usual.rule?.timeoutMs, may: ANSWERS });
    expect(rule?.handler).toEqual({ type: "mcp_tool", server: "s", tool: "t", input });
    expect((await parseHandler(format, { type: "mcp_tool", server: "s", tool: "t" })).rule?.handler).toMatchObject({
      input: {},
    });
  });

  test("each field distinguishes two of them", async () => {
    const hooks = [
      { type: "prompt", prompt: "a" },
      { type: "prompt", prompt: "b" },
      { type: "prompt", prompt: "a", model: "haiku" },
      { type: "prompt", prompt: "a", continueOnBlock: true },
      { type: "agent", prompt: "a" },
      { type: "agent", prompt: "a", model: "haiku" },
      { type: "mcp_tool", server: "s", tool: "t" },
      { type: "mcp_tool", server: "s", tool: "u" },
      { type: "mcp_tool", server: "r", tool: "t" },
      { type: "mcp_tool", server: "s", tool: "t", input: { a: 1 } },
    ];
    const { rules } = await parse(format, { hooks: { PreToolUse: [{ hooks }] } });
    expect(new Set(rules.map(({ identity }) => identity)).size).toBe(hooks.length);
    expect(rules.every(({ identity }) => identity !== undefined)).toBe(true);
    const again = await parse(format, { hooks: { PreToolUse: [{ hooks }] } });
    expect(again.rules.map(({ identity }) => identity)).toEqual(rules.map(({ identity }) => identity));
  });
});

test.each(["prompt", "agent"])(
  "a setting that Claude Code's %s hooks do not have opens and shuts no gate",
  async (type) => {
    for (const onFailure of ["continue", "block"]) {
      const { rule, problems } = await parseHandler("claude-code", { type, prompt: "?", onFailure });
      expect(rule?.onFailure).toBeUndefined();
      expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_UNKNOWN_KEY" }]);
    }
  },
);

describe("in hookbox's own format", () => {
  test("the hook sets what is sent, and how long an answer may be", async () => {
    const bounds = { redact: false, maxTokens: 32_000 };
    expect((await parseHandler("hookbox", { type: "prompt", prompt: "?", ...bounds })).rule?.handler).toMatchObject({
      redacts: false,
      maxTokens: 32_000,
    });
    const agent = { type: "agent", prompt: "?", redact: false, maxTokens: 2_000_000, maxTurns: 1 };
    expect((await parseHandler("hookbox", agent)).rule?.handler).toMatchObject({
      redacts: false,
      maxTokens: 2_000_000,
      maxTurns: 1,
    });
  });

  test.each([
    [undefined, "text"],
    ["ok", "ok"],
    ["pre_tool_use_decision", "decision"],
  ])("a model with the schema %s answers with %s, and its prompt is a template", async (schema, answer) => {
    const hook = { type: "model", prompt: "{{ .ToolName }}", model: "openai/x", ...(schema ? { schema } : {}) };
    const { rule } = await parseHandler("hookbox", { ...hook, may: ["deny", "context"] });
    expect(rule?.handler).toMatchObject({ type: "model", model: "openai/x", template: "go", answer, redacts: true });
    expect(rule?.timeoutMs).toBe(30_000);
  });

  test("a model that could permit gets a warning that its permission does not count, unless the rule sets `may`", async () => {
    const hook = { type: "model", prompt: "?", schema: "pre_tool_use_decision" };
    const silent = await parseHandler("hookbox", hook);
    expect(silent.rule?.may).toEqual(["deny", "ask", "context"]);
    expect(silent.problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", hint: expect.stringContaining('"allow"') },
    ]);
    for (const may of [["deny", "ask", "allow"], ["deny"]]) {
      const { rule, problems } = await parseHandler("hookbox", { ...hook, may });
      expect([rule?.may, problems]).toEqual([may, []]);
    }
    expect((await parseHandler("hookbox", { ...hook, enabled: false })).problems).toEqual([]);
  });

  test.each([
    [{ type: "model", prompt: "?" }, "FileChanged", "HOOK_CONFIG_HANDLER"],
    [{ type: "model", prompt: "?", may: ["deny"] }, "UserPromptSubmit", "HOOK_CONFIG_INERT"],
    [{ type: "model", prompt: "?" }, "TaskCompleted", "HOOK_CONFIG_INERT"],
  ])("a model whose text has no effect is reported: %j at %s", async (hook, event, code) => {
    expect((await parseHandler("hookbox", hook, event)).problems).toMatchObject([{ code }]);
  });

  test("a built-in hook is a function with a name, and has half a minute", async () => {
    const fields = { args: ["NOTES.md"], env: { A: "1" }, workingDir: "sub" };
    const hook = { type: "function", run: "builtin:add_prompt_files", ...fields };
    const { rule, problems } = await parseHandler("hookbox", hook, "TurnStart");
    expect(problems).toEqual([]);
    expect(rule).toMatchObject({ name: "add_prompt_files", timeoutMs: 30_000, may: ANSWERS });
    expect(rule?.handler).toEqual({ type: "builtin", name: "add_prompt_files", ...fields, network: "public" });
    expect(rule?.identity).toBeDefined();
    const other = await parseHandler("hookbox", { ...hook, args: ["OTHER.md"] }, "TurnStart");
    expect(other.rule?.identity).not.toBe(rule?.identity);
    const own = { ...hook, allowPrivate: true };
    const mine = await parseHandler("hookbox", own, "TurnStart", { layer: "user" });
    expect(mine.rule?.handler).toMatchObject({ network: "private" });
  });

  test("a function from code has no built-in name, no arguments, and equals no other", async () => {
    const run = () => null;
    const hooks = { hooks: { Stop: [{ hooks: [{ type: "function", run }] }] } };
    const inline = { name: "code", value: hooks, layer: "session" as const, baseDir: "/" };
    const { rules, problems } = await loadConfig([], [inline], "/");
    expect([problems, rules[0]?.handler, rules[0]?.identity]).toEqual([[], { type: "function", run }, undefined]);
    for (const [key, value] of Object.entries({ args: ["a"], speaks: "claude-code" })) {
      const more = { hooks: { Stop: [{ hooks: [{ type: "function", run, [key]: value }] }] } };
      const refused = await loadConfig([], [{ ...inline, value: more }], "/");
      expect(refused.problems).toMatchObject([
        { code: "HOOK_CONFIG_HANDLER", place: { pointer: `/hooks/Stop/0/hooks/0/${key}` } },
      ]);
    }
  });

  test("a built-in hook that does nothing at its event is one problem", async () => {
    const { rule, problems } = await parseHandler("hookbox", { type: "function", run: "builtin:unload" }, "Stop");
    expect(rule?.handler.type).toBe("broken");
    expect(problems).toMatchObject([
      { severity: "error", code: "HOOK_BUILTIN", message: "unload does nothing at Stop" },
    ]);
    const short = await parseHandler("hookbox", { type: "function", run: "builtin:max_iterations" }, "BeforeModelCall");
    expect(short.problems).toMatchObject([{ severity: "error", message: "max_iterations takes 1 args, not 0" }]);
  });

  test("a built-in hook in an agent's dialect is as idle as there, without a problem", async () => {
    const context = { speakers: SPEAKERS };
    const idle = { type: "function", run: "builtin:max_iterations", args: ["5"], speaks: "docker-agent" };
    const { rule, problems } = await parseHandler("hookbox", idle, "TurnStart", context);
    expect([rule?.handler.type, rule?.dialect]).toEqual(["builtin", "docker-agent"]);
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_BUILTIN" }]);
    const short = await parseHandler("hookbox", { ...idle, args: [] }, "BeforeModelCall", context);
    expect(short.problems).toMatchObject([{ severity: "error", code: "HOOK_BUILTIN" }]);
  });

  test.each(Object.entries(BUILTINS))("accepts the built-in %s", async (name, { events, args }) => {
    const event = typeof events === "string" ? "SessionStart" : events[0];
    const hook = { type: "function", run: `builtin:${name}`, args: Array(args[0]).fill("1") };
    const { rule, problems } = await parseHandler("hookbox", hook, event);
    expect([rule?.handler, problems]).toMatchObject([{ type: "builtin", name }, []]);
  });

  test("knows the shipped guards, and the guards of the agents' own judges", () => {
    expect(Object.keys(GUARD_OF_JUDGE)).toEqual(JUDGE_NAMES);
    expect(SHIPPED_GUARDS).toEqual(Object.keys(BUILTIN_GUARDS).sort());
  });
});

const hook = (text: string): string => `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        ${text}
      ] }
    ]
  }
}`;

interface Bad {
  readonly what: string;
  readonly text: string;
  readonly code: string;
  readonly at: string;
  readonly says?: RegExp;
}

const BAD: readonly Bad[] = [
  { what: "no prompt", text: '{ "type": "prompt" }', code: "HOOK_CONFIG_TYPE", at: '{ "type"' },
  {
    what: "an empty prompt",
    text: '{ "type": "model", "prompt": "" }',
    code: "HOOK_CONFIG_TYPE",
    at: '""',
  },
  {
    what: "a misspelt field",
    text: '{ "type": "prompt", "prompt": "?", "redacts": false }',
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    at: '"redacts"',
    says: /did you mean "redact"/,
  },
  {
    what: "too many tokens",
    text: '{ "type": "prompt", "prompt": "?", "maxTokens": 32001 }',
    code: "HOOK_CONFIG_TYPE",
    at: "32001",
    says: /32000/,
  },
  {
    what: "too many tokens of an agent",
    text: '{ "type": "agent", "prompt": "?", "maxTokens": 2000001 }',
    code: "HOOK_CONFIG_TYPE",
    at: "2000001",
    says: /2000000/,
  },
  {
    what: "no token at all",
    text: '{ "type": "model", "prompt": "?", "maxTokens": 0 }',
    code: "HOOK_CONFIG_TYPE",
    at: "0",
  },
  {
    what: "more turns than there are",
    text: '{ "type": "agent", "prompt": "?", "maxTurns": 51 }',
    code: "HOOK_CONFIG_TYPE",
    at: "51",
    says: /50/,
  },
  {
    what: "a schema that nobody knows",
    text: '{ "type": "model", "prompt": "?", "schema": "yes_or_no" }',
    code: "HOOK_CONFIG_TYPE",
    at: '"yes_or_no"',
    says: /pre_tool_use_decision/,
  },
  {
    what: "a model that nobody answers for",
    text: '{ "type": "agent", "prompt": "?", "model": "nowhere/small" }',
    code: "HOOK_MODEL_PROVIDER",
    at: '{ "type"',
    says: /"nowhere".*providers: anthropic/s,
  },
  {
    what: "a field that the template does not have",
    text: '{ "type": "model", "prompt": "A\\n {{ .ToolNmae }}" }',
    code: "HOOK_PROMPT_TEMPLATE",
    at: '"A\\n',
    says: /line 2, column \d+.*ToolNmae/s,
  },
  {
    what: "a template without an end",
    text: '{ "type": "model", "prompt": "{{ if .ToolName }}" }',
    code: "HOOK_PROMPT_TEMPLATE",
    at: '"{{ if',
  },
  {
    what: "a server that nobody knows",
    text: '{ "type": "mcp_tool", "server": "policy", "tool": "judge" }',
    code: "HOOK_MCP_SERVER",
    at: '{ "type"',
    says: /mcpServers/,
  },
  {
    what: "an onFailure that our format does not have",
    text: '{ "type": "mcp_tool", "server": "policy", "tool": "judge", "onFailure": "deny" }',
    code: "HOOK_CONFIG_TYPE",
    at: '"deny"',
  },
  {
    what: "a built-in that nobody knows",
    text: '{ "type": "function", "run": "builtin:add_dat" }',
    code: "HOOK_BUILTIN",
    at: '"builtin:add_dat"',
    says: /did you mean "add_date"/,
  },
  {
    what: "a built-in that is like no other",
    text: '{ "type": "function", "run": "builtin:cedar" }',
    code: "HOOK_BUILTIN",
    at: '"builtin:cedar"',
    says: /built-in hooks: add_context/,
  },
  {
    what: "a guard in place of a built-in",
    text: '{ "type": "function", "run": "builtin:shell-guard" }',
    code: "HOOK_BUILTIN",
    at: '"builtin:shell-guard"',
    says: /"type": "wasm"/,
  },
  {
    what: "a function that is none",
    text: '{ "type": "function", "run": "./hook.js" }',
    code: "HOOK_CONFIG_TYPE",
    at: '"./hook.js"',
    says: /builtin:NAME/,
  },
  ...JUDGE_NAMES.map(
    (name): Bad => ({
      what: `the agent's own judge ${name}`,
      text: `{ "type": "function", "run": "builtin:${name}" }`,
      code: "HOOK_BUILTIN",
      at: `"builtin:${name}"`,
      says: /is a guard.*"type": "wasm", "module": "builtin:\w+-guard"/s,
    }),
  ),
];

test.each(BAD)("$what is reported with its place, and shuts the gate", async ({ text, code, at, says }) => {
  const content = hook(text);
  const folder = folderWith({ "hookbox.json": content });
  const file = { file: join(folder, "hookbox.json"), layer: "user" as const };
  const engine = await createEngine({ configFiles: [file], cwd: folder, cacheDir: false, sandbox: { threads: 1 } });
  try {
    expect(engine.problems).toMatchObject([{ severity: "error", code, place: whereIs(at, content) }]);
    const [problem] = engine.problems;
    if (says !== undefined) expect(`${problem?.message} ${problem?.hint}`).toMatch(says);
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    expect(verdict.decision).toBe("deny");
  } finally {
    await engine.close();
  }
});

describe("in Claude Code's format", () => {
  test("an agent hook that Claude Code would skip is asked if skipping it would open a gate, with a warning", async () => {
    const agent = { type: "agent", prompt: "May it?" };
    const safer = await parseHandler("claude-code", agent, "PermissionRequest", { compat: "safer" });
    expect(safer.rule?.handler.type).toBe("agent");
    expect(safer.problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", message: expect.stringContaining("hookbox runs them") },
    ]);
    const faithful = await parseHandler("claude-code", agent, "PermissionRequest", { compat: "faithful" });
    expect(faithful.rule).toBeUndefined();
    expect(faithful.problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
    expect((await parseHandler("hookbox", agent, "PermissionRequest")).problems).toEqual([]);
  });

  test.each([
    ["continue", "continue", 0],
    ["block", "block", 0],
    ["Continue", "block", 1],
    [false, "block", 1],
    [null, "block", 1],
  ])("a tool whose onFailure is %j is to %s", async (onFailure, means, warnings) => {
    const { rule, problems } = await parseHandler("claude-code", {
      type: "mcp_tool",
      server: "s",
      tool: "t",
      onFailure,
    });
    expect(rule).toMatchObject({ onFailure: means, handler: { type: "mcp_tool" } });
    expect(problems.map(({ severity }) => severity)).toEqual(Array(warnings).fill("warning"));
  });

  test.each(["SessionStart", "Setup"])("onFailure of a tool at %s has no effect, and is reported", async (event) => {
    const hook = { type: "mcp_tool", server: "s", tool: "t", onFailure: "block" };
    const { rule, problems } = await parseHandler("claude-code", hook, event);
    expect(rule?.handler.type).toBe("mcp_tool");
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
  });

  test.each([
    ["UserPromptSubmit", 30],
    ["MessageDisplay", 10],
    ["PreToolUse", 600],
  ])("a tool at %s has %d seconds", async (event, seconds) => {
    const { rule } = await parseHandler("claude-code", { type: "mcp_tool", server: "s", tool: "t" }, event);
    expect(rule?.timeoutMs).toBe(seconds * 1_000);
  });

  test("judges and agents have the same time at every event", async () => {
    for (const event of ["PreToolUse", "UserPromptSubmit", "Stop"]) {
      expect((await parseHandler("claude-code", { type: "prompt", prompt: "?" }, event)).rule?.timeoutMs).toBe(30_000);
      expect((await parseHandler("claude-code", { type: "agent", prompt: "?" }, event)).rule?.timeoutMs).toBe(60_000);
    }
  });

  test("the limits of hookbox's own format are unknown, and reported", async () => {
    const { rule, problems } = await parseHandler("claude-code", {
      ...{ type: "agent", prompt: "?" },
      ...{ redact: false, maxTokens: "all", maxTurns: 1_000 },
    });
    expect(rule?.handler).toMatchObject({ redacts: true, maxTokens: 200_000, maxTurns: 50 });
    expect(problems.map(({ severity, code }) => [severity, code])).toEqual(
      Array(3).fill(["warning", "HOOK_CONFIG_UNKNOWN_KEY"]),
    );
  });
});
