import { describe, expect, onTestFinished, test } from "vitest";
import { resolveSettings } from "../../src/config/layered-settings.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ConfigSettings } from "../../src/dialects/dialect.ts";
import { createEngine } from "../../src/engine.ts";
import type { Layer } from "../../src/layer-trust.ts";
import type { Rule } from "../../src/rule.ts";
import { brokenIn, folderWith, whereIs } from "./config-files.ts";

/** The settings in files for models and MCP servers, and the hooks for which they count. */

const JUDGE = { type: "prompt", prompt: "Fine?" };
const SOUND = { type: "function", run: "builtin:sound-alert" };
const TOOL = { type: "mcp_tool", server: "policy", tool: "judge" };
const asking = (...hooks: object[]) => ({ hooks: { PreToolUse: [{ hooks }] } });

/** Loads one `hookbox` file for each entry, in this order. */
async function load(...entries: readonly (readonly [Layer, object | string])[]) {
  const named = entries.map(([layer, value], index) => ({ file: `${index}.json`, layer, value }));
  const folder = folderWith(
    Object.fromEntries(
      named.map(({ file, value }) => [file, typeof value === "string" ? value : JSON.stringify(value)]),
    ),
  );
  const files = named.map(({ file, layer }) => ({ file, layer }));
  return { folder, ...(await loadConfig(files, [], folder)) };
}

const ofLayer = (rules: readonly Rule[], layer: Layer): Rule["handler"] | undefined =>
  rules.find((rule) => rule.layer === layer)?.handler;

const HERE = { type: "openai", baseUrl: "http://localhost:8080/v1/", apiKeyEnv: null } as const;
const THERE = { type: "openai", baseUrl: "https://models.example/v1" } as const;

describe("a model that no hook names", () => {
  test("is the default of the file, otherwise Claude's smallest", async () => {
    const { rules } = await load(["user", asking(JUDGE)]);
    expect(ofLayer(rules, "user")).toMatchObject({
      choice: { model: "claude-haiku-4-5", provider: { kind: "anthropic", keyVariable: "ANTHROPIC_API_KEY" } },
    });
    const said = await load([
      "user",
      { defaultModel: "here/small", modelProviders: { here: HERE }, ...asking(JUDGE, { type: "agent", prompt: "?" }) },
    ]);
    const choice = {
      model: "small",
      provider: {
        ...{ kind: "openai", name: "here", baseUrl: "http://localhost:8080/v1", keyVariable: null },
        ...{ streams: false, structured: true, network: "private" },
      },
    };
    expect(said.rules.map(({ handler }) => handler)).toMatchObject([
      { type: "model", choice },
      { type: "agent", choice },
    ]);
  });

  test("is used by a built-in hook that asks a model, as is a model that it names", async () => {
    const commit = (...args: readonly string[]) => ({ type: "function", run: "builtin:smart-commit", args });
    const settings = { defaultModel: "here/small", modelProviders: { here: HERE } };
    const { rules } = await load([
      "user",
      {
        ...settings,
        hooks: { Stop: [{ hooks: [commit(), commit("here/large"), SOUND] }] },
      },
    ]);
    const provider = { kind: "openai", name: "here", baseUrl: "http://localhost:8080/v1" };
    expect(rules.map(({ handler }) => handler)).toMatchObject([
      { type: "builtin", choice: { model: "small", provider } },
      { type: "builtin", choice: { model: "large", provider } },
      { type: "builtin" },
    ]);
    expect(rules[2]?.handler).not.toHaveProperty("choice");

    const unknown = await load(["user", { hooks: { Stop: [{ hooks: [commit("nobody/x")] }] } }]);
    expect(unknown.problems).toMatchObject([{ code: "HOOK_MODEL_PROVIDER", severity: "error" }]);
  });

  test("is not chosen by a project for the user's hooks, but by managed settings", async () => {
    const { rules } = await load(
      ["user", { defaultModel: "openai/user", modelProviders: { there: THERE }, ...asking(JUDGE) }],
      ["project", { defaultModel: "there/project", ...asking(JUDGE) }],
    );
    expect(ofLayer(rules, "user")).toMatchObject({ choice: { model: "user" } });
    expect(ofLayer(rules, "project")).toMatchObject({ choice: { model: "project" } });
    const managed = await load(
      ["managed", { defaultModel: "openai/managed" }],
      ["user", { defaultModel: "openai/user", ...asking(JUDGE) }],
    );
    expect(ofLayer(managed.rules, "user")).toMatchObject({ choice: { model: "managed" } });
  });
});

describe("a provider", () => {
  test("of managed settings cannot be redirected by other files", async () => {
    const { rules } = await load(
      ["managed", { modelProviders: { team: THERE } }],
      ["user", { modelProviders: { team: HERE }, ...asking({ ...JUDGE, model: "team/x" }) }],
    );
    expect(ofLayer(rules, "user")).toMatchObject({ choice: { provider: { baseUrl: "https://models.example/v1" } } });
  });

  test("keeps its address for a project's hook, and for a file that may use the public internet only", async () => {
    const ask = asking({ ...JUDGE, model: "openai/x" });
    const known = await load(["project", ask]);
    expect(ofLayer(known.rules, "project")).toMatchObject({ choice: { provider: { network: "private" } } });
    const moved = await load(["user", { modelProviders: { openai: HERE } }], ["project", ask]);
    expect(ofLayer(moved.rules, "project")).toMatchObject({ choice: { provider: { network: "public" } } });
  });

  test("that is known needs only the settings that differ", async () => {
    const { rules } = await load([
      "user",
      {
        modelProviders: { openai: { apiKeyEnv: "TEAM_KEY", stream: true } },
        ...asking({ ...JUDGE, model: "openai/x" }),
      },
    ]);
    expect(ofLayer(rules, "user")).toMatchObject({
      choice: { provider: { kind: "openai", keyVariable: "TEAM_KEY", streams: true } },
    });
  });
});

describe("settings with an error", () => {
  const servers = { policy: { command: "./policy" } };
  const typo = { modelProviders: { anthropic: { baseURL: "http://localhost:8080" } }, mcpServers: servers };

  test.each([
    ["of the file itself", [["user", { ...typo, ...asking(JUDGE, TOOL) }]]],
    [
      "of a file above",
      [
        ["user", typo],
        ["project", asking(JUDGE, TOOL)],
      ],
    ],
    [
      "of a file that is no JSON",
      [
        ["user", "{"],
        ["project", asking(JUDGE, TOOL)],
      ],
    ],
  ] as const)("%s send no event to an unintended address", async (_, files) => {
    const { rules, problems } = await load(...files);
    expect(brokenIn(rules).map(({ type, code }) => [type, code])).toEqual([
      ["unknown", expect.stringMatching(/^HOOK_CONFIG_/)],
      ["prompt", "HOOK_MODEL_PROVIDER"],
      ["mcp_tool", "HOOK_MCP_SERVER"],
    ]);
    expect(problems.map(({ message }) => message)).toContain(
      '"anthropic/claude-haiku-4-5" cannot be asked while the settings have errors',
    );
  });

  test("of a project do not affect the user's own hooks", async () => {
    const { rules } = await load(["user", { mcpServers: servers, ...asking(JUDGE, TOOL) }], ["project", typo]);
    expect(brokenIn(rules).map(({ type }) => type)).toEqual(["unknown"]);
  });

  test("do not affect a function of the program", async () => {
    const folder = folderWith({ "0.json": JSON.stringify({ ...typo, ...asking({ ...JUDGE, model: "mine/x" }) }) });
    const { rules } = await loadConfig([{ file: "0.json", layer: "user" }], [], folder, { modelFunctions: ["mine"] });
    expect(brokenIn(rules).map(({ type }) => type)).toEqual(["unknown"]);
  });
});

const STDIO = { command: "./policy", args: ["--stdio"], env: { KEY: "${KEY}" } };
const HTTP = { type: "http", url: "http://localhost:9/mcp", headers: { A: "${TOKEN:-none}" } };

describe("an MCP server", () => {
  test("starts in the folder of the file that names it, or below", async () => {
    const { folder, rules } = await load(["user", { mcpServers: { policy: STDIO }, ...asking(TOOL) }]);
    const found = { kind: "stdio", ...STDIO, workingDir: folder };
    expect(ofLayer(rules, "user")).toMatchObject({ found });
    const below = { mcpServers: { policy: { command: "x", workingDir: "sub" } }, ...asking(TOOL) };
    const other = await load(["user", below]);
    const nothingMore = { args: [], env: {}, workingDir: `${other.folder}/sub` };
    expect(ofLayer(other.rules, "user")).toMatchObject({ found: { kind: "stdio", command: "x", ...nothingMore } });
  });

  test.each([
    ["user", {}, "loopback"],
    ["user", { allowPrivate: true }, "private"],
    ["project", { headers: { A: "b" } }, "public"],
  ] as const)("at an address, of layer %s with %j, is asked on the network %s", async (layer, more, network) => {
    const { rules } = await load([layer, { mcpServers: { policy: { ...HTTP, ...more } }, ...asking(TOOL) }]);
    expect(ofLayer(rules, layer)).toMatchObject({ found: { kind: "http", url: HTTP.url, network } });
  });

  test("of a project serves only the project's own hooks", async () => {
    const theirs = { mcpServers: { policy: { command: "theirs" } }, ...asking(TOOL) };
    const { rules, problems } = await load(["user", asking(TOOL)], ["project", theirs]);
    expect(ofLayer(rules, "project")).toMatchObject({ found: { command: "theirs" } });
    expect(ofLayer(rules, "user")).toMatchObject({ type: "broken", declaredType: "mcp_tool" });
    expect(problems).toMatchObject([{ code: "HOOK_MCP_SERVER" }]);
    const mine = { mcpServers: { policy: { command: "mine" } }, ...asking(TOOL) };
    const both = await load(["user", mine], ["project", theirs]);
    expect(ofLayer(both.rules, "user")).toMatchObject({ found: { command: "mine" } });
    expect(ofLayer(both.rules, "project")).toMatchObject({ found: { command: "theirs" } });
  });

  test("of managed settings overrides others of the same name", async () => {
    const { rules } = await load(
      ["managed", { mcpServers: { policy: { command: "managed" } } }],
      ["user", { mcpServers: { policy: { command: "mine" } }, ...asking(TOOL) }],
    );
    expect(ofLayer(rules, "user")).toMatchObject({ found: { command: "managed" } });
  });
});

describe("a rule that asks an unknown model or server", () => {
  const NOBODY = { type: "prompt", prompt: "Fine?", model: "nobody/x" };
  const loadOne = async (hook: object) => {
    const { rules, problems } = await load(["user", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } }]);
    return { rule: rules[0], problems };
  };

  test.each([
    [NOBODY, "prompt", "HOOK_MODEL_PROVIDER"],
    [{ type: "agent", prompt: "?", model: "nobody/x" }, "agent", "HOOK_MODEL_PROVIDER"],
    [{ type: "model", prompt: "?", model: "nobody/x", schema: "ok" }, "model", "HOOK_MODEL_PROVIDER"],
    [{ ...TOOL, server: "constructor" }, "mcp_tool", "HOOK_MCP_SERVER"],
  ])("is broken under the type that was written: %j", async (hook, declaredType, code) => {
    const { rule, problems } = await loadOne({ ...hook, name: "mine", onFailure: "continue" });
    expect(rule).toMatchObject({ name: "mine", matcher: "Bash", handler: { type: "broken", declaredType } });
    expect(rule).toMatchObject({ onFailure: undefined, may: ["deny"] });
    expect(problems).toMatchObject([{ code, place: { line: 1 } }]);
  });

  test("applies to the events of the original rule, and to no others", async () => {
    const narrow = { if: "Bash(git push *)", filter: { tools: ["Bash"] }, lane: "preempt", priority: 3 };
    const { rule } = await loadOne({ ...NOBODY, ...narrow });
    const { if: condition, ...rest } = narrow;
    expect(rule).toMatchObject({ ...rest, condition, mode: "enforce", handler: { type: "broken" } });
  });

  test("refuses nothing if the original rule is in monitor mode or async", async () => {
    const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "1", session_id: "s", cwd: "/" };
    const decisionWith = async (more: object) => {
      const value = { hooks: { PreToolUse: [{ hooks: [{ ...NOBODY, ...more }] }] } };
      const folder = folderWith({ "hookbox.json": JSON.stringify(value) });
      const engine = await createEngine({ configFiles: ["hookbox.json"], cwd: folder });
      onTestFinished(() => engine.close());
      return (await engine.dispatch("PreToolUse", call)).decision;
    };
    expect(await decisionWith({})).toBe("deny");
    expect(await decisionWith({ mode: "monitor" })).toBe("none");
    expect(await decisionWith({ async: true })).toBe("none");
  });
});

describe("the timeout of hooks that ask", () => {
  test("may have another default, of a file or of its layer", async () => {
    const defaults = { model: { timeoutMs: 1_000 }, agent: { timeoutMs: 2_000 }, command: { timeoutMs: 3_000 } };
    const hooks = [JUDGE, { type: "agent", prompt: "?" }, TOOL, { type: "function", run: "builtin:add_date" }];
    const mcpServers = { policy: { command: "x" } };
    const { rules } = await load(["user", { defaults, mcpServers, ...asking(...hooks) }]);
    expect(rules.map(({ timeoutMs }) => timeoutMs)).toEqual([1_000, 2_000, 3_000, 3_000]);
  });

  test("is at most that of managed settings, whatever the hook sets", async () => {
    const defaults = { model: { timeoutMs: 1_000 }, agent: { timeoutMs: 2_000 } };
    const hooks = [JUDGE, { type: "agent", prompt: "?" }, { type: "command", command: "a" }];
    const { rules } = await load(
      ["managed", { defaults }],
      ["user", asking(...hooks.map((hook) => ({ ...hook, timeoutMs: 9_000 })))],
    );
    expect(rules.map(({ timeoutMs }) => timeoutMs)).toEqual([1_000, 2_000, 9_000]);
  });

  test("cannot be set by a project for others", () => {
    const said: ConfigSettings = { defaults: { modelTimeoutMs: 1, agentTimeoutMs: 1 } };
    const settings = resolveSettings([{ layer: "project", settings: said }]);
    expect(settings.defaultsOf("user")).toMatchObject({ modelTimeoutMs: 30_000, agentTimeoutMs: 60_000 });
    expect(settings.defaultsOf("project")).toMatchObject({ modelTimeoutMs: 1, agentTimeoutMs: 1 });
  });
});

interface Bad {
  readonly what: string;
  readonly layer?: Layer;
  /** Settings, as JSON text without its braces. */
  readonly text: string;
  readonly code: string;
  readonly at: string;
  readonly says?: RegExp;
}

const BAD: readonly Bad[] = [
  {
    what: "a provider that nobody knows, without an address",
    text: '"modelProviders": { "team": { "type": "openai" } }',
    code: "HOOK_CONFIG_TYPE",
    at: '{ "type": "openai" }',
    says: /"baseUrl".*known: anthropic/s,
  },
  {
    what: "a key where the name of its variable belongs",
    text: '"modelProviders": { "openai": { "apiKeyEnv": "sk-abc-def" } }',
    code: "HOOK_CONFIG_TYPE",
    at: '"sk-abc-def"',
    says: /not the key itself/,
  },
  {
    what: "an address with a user",
    text: '"modelProviders": { "openai": { "baseUrl": "https://me:pass@a.example/v1" } }',
    code: "HOOK_CONFIG_TYPE",
    at: '"https://me:pass@a.example/v1"',
    says: /without user/,
  },
  {
    what: "a provider's misspelt setting",
    text: '"modelProviders": { "openai": { "baseURL": "https://a.example/v1" } }',
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    at: '"baseURL"',
  },
  {
    what: "a project's provider",
    layer: "project",
    text: '"modelProviders": { "openai": { "baseUrl": "https://a.example/v1" } }',
    code: "HOOK_CONFIG_TRUST",
    at: '"modelProviders"',
    says: /your own configuration/,
  },
  {
    what: "a server without a command",
    text: '"mcpServers": { "a": { "args": [] } }',
    code: "HOOK_CONFIG_TYPE",
    at: '{ "args": [] }',
    says: /command/,
  },
  {
    what: "a server with a misspelt key",
    text: '"mcpServers": { "a": { "command": "x", "arg": [] } }',
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    at: '"arg"',
    says: /did you mean "args"/,
  },
  {
    what: "a server at an address, and a command",
    text: '"mcpServers": { "a": { "type": "http", "url": "https://a.example/", "command": "x" } }',
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    at: '"command"',
  },
  {
    what: "a server that speaks something else",
    text: '"mcpServers": { "a": { "type": "sse", "command": "x" } }',
    code: "HOOK_CONFIG_TYPE",
    at: '"sse"',
  },
  {
    what: "a project's server that is given the user's variables",
    layer: "project",
    text: '"mcpServers": { "a": { "command": "x", "env": { "K": "${SECRET}" } } }',
    code: "HOOK_CONFIG_TRUST",
    at: '{ "K"',
    says: /your own configuration/,
  },
  {
    what: "a project's server that is sent them",
    layer: "project",
    text: '"mcpServers": { "a": { "type": "http", "url": "https://a.example/?${SECRET:-}" } }',
    code: "HOOK_CONFIG_TRUST",
    at: '"https://a.example/?${SECRET:-}"',
  },
  {
    what: "a project's server on the user's network",
    layer: "project",
    text: '"mcpServers": { "a": { "type": "http", "url": "https://a.example/", "allowPrivate": true } }',
    code: "HOOK_CONFIG_TRUST",
    at: "true",
  },
  {
    what: "an empty default",
    text: '"defaultModel": ""',
    code: "HOOK_CONFIG_TYPE",
    at: '""',
  },
  {
    what: "a default time that is none",
    text: '"defaults": { "model": { "timeoutMs": "9s" } }',
    code: "HOOK_CONFIG_TYPE",
    at: '"9s"',
    says: /milliseconds/,
  },
];

test.each([
  { mcpServers: { bad: { args: [] }, policy: { command: "x" } } },
  { mcpServers: { policy: { command: "x" } }, modelProviders: { team: { type: "openai" } } },
])("a server or provider that cannot be used does not remove other settings of its file: %j", async (flawed) => {
  const allowedHttpHookUrls = ["https://ours.example/*"];
  const { rules, problems } = await load(
    ["managed", { ...flawed, allowedHttpHookUrls, ...asking(TOOL) }],
    ["user", { hooks: { SessionEnd: [{ hooks: [{ type: "http", url: "https://theirs.example/" }] }] } }],
  );
  expect(problems).toHaveLength(1);
  expect(rules.find(({ layer }) => layer === "user")?.handler).toMatchObject({ allowedUrls: [allowedHttpHookUrls] });
  expect(rules.find(({ event }) => event === "PreToolUse")?.handler).toMatchObject({ found: { command: "x" } });
});

test.each(BAD)(
  "$what is reported with its place, and shuts every gate",
  async ({ layer = "user", text, code, at, says }) => {
    const content = `{\n  ${text}\n}`;
    const { rules, problems } = await load([layer, content]);
    expect(problems).toMatchObject([{ severity: "error", code, place: whereIs(at, content) }]);
    if (says !== undefined) expect(`${problems[0]?.message} ${problems[0]?.hint}`).toMatch(says);
    expect(brokenIn(rules)).toMatchObject([{ event: "*", code }]);
  },
);
