import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { configJsonSchema, HOOKBOX_HANDLERS } from "../../src/dialects/hookbox/schema.ts";
import { EVENT_NAMES } from "../../src/events/lookup.ts";
import fc from "../helpers/fc.ts";
import { accepts, type JsonSchema } from "./json-schema.ts";
import { parseHandler } from "./parse.ts";

const schema = configJsonSchema() as JsonSchema;

const REALISTIC = {
  $schema: "./node_modules/hookbox/schema/hookbox.schema.json",
  version: 1,
  description: "what this team does not want",
  compat: "safer",
  claudeContract: "2.1.240",
  disableAllHooks: false,
  defaults: {
    wasm: { timeoutMs: 500, memoryMiB: 16, fuel: 100_000_000, fuelPerInputByte: 1_000 },
    command: { timeoutMs: 20_000 },
    model: { timeoutMs: 10_000 },
    agent: { timeoutMs: 40_000 },
  },
  defaultModel: "here/small",
  modelProviders: {
    here: { type: "openai", baseUrl: "http://localhost:8080/v1", apiKeyEnv: null, stream: true, structured: false },
    openai: { apiKeyEnv: "TEAM_KEY" },
  },
  mcpServers: {
    policy: { command: "policy-server", args: ["--stdio"], env: { LEVEL: "2" }, workingDir: "sub" },
    desk: { type: "http", url: "https://desk.example/mcp", headers: { "X-Team": "a" } },
  },
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        description: "shell commands",
        hooks: [
          {
            type: "wasm",
            name: "shell-guard",
            module: "builtin:shell-guard",
            config: { protectedPaths: ["/etc", "~/.ssh"], deep: { list: [1, null, true, { a: [] }] } },
          },
          {
            type: "wasm",
            module: "./third-party/no-prod.wasm",
            sha256: "0a".repeat(32),
            function: "judge",
            limits: { memoryMiB: 4, outputBytes: 1_024, fuel: 5_000_000, depth: 10_000 },
            may: ["deny"],
            mode: "monitor",
            priority: -1,
            onFailure: "continue",
          },
          { type: "command", command: "./audit.sh", args: [], async: true, timeout: 1.5, env: { LEVEL: "2" } },
        ],
      },
      {
        matcher: "mcp__.*",
        hooks: [{ type: "command", command: "true", shell: "bash", enabled: false, timeoutMs: 50 }],
      },
    ],
    Stop: [
      {
        hooks: [
          { type: "command", command: "npm test", statusMessage: "testing" },
          { type: "prompt", prompt: "Is it done? $ARGUMENTS", model: "haiku", continueOnBlock: true, maxTokens: 200 },
          { type: "agent", prompt: "Are the tests green?", maxTurns: 9, maxTokens: 50_000, redact: false },
          { type: "mcp_tool", server: "policy", tool: "judge", input: { what: "${last_assistant_message}" } },
        ],
      },
    ],
    TurnStart: [
      { hooks: [{ type: "function", run: "builtin:add_prompt_files", args: ["NOTES.md"], env: { A: "1" } }] },
    ],
    SessionStart: [],
  },
};

/** Returns the realistic configuration with one value changed, or removed if `undefined`. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(REALISTIC);
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete (parent as Record<string, unknown>)[last];
  else (parent as Record<string, unknown>)[last] = value;
  return copy;
}

describe("the published schema", () => {
  test("accepts a realistic configuration, which loads without a problem", async () => {
    expect(accepts(schema, REALISTIC)).toBe(true);
    const inline = { name: "config", value: REALISTIC, layer: "user" as const, baseDir: "/" };
    const { rules, problems } = await loadConfig([], [inline], "/");
    expect(problems).toEqual([]);
    expect(rules).toHaveLength(8);
  });

  test("accepts the smallest possible configuration", () => {
    for (const config of [{}, { hooks: {} }, { hooks: { Stop: [{ hooks: [] }] } }])
      expect(accepts(schema, config)).toBe(true);
  });

  const guard = ["hooks", "PreToolUse", 0, "hooks", 1];
  const command = ["hooks", "PreToolUse", 0, "hooks", 2];
  test.each([
    [["hoks"], {}],
    [["version"], 2],
    [["compat"], "loose"],
    [["claudeContract"], "1.0"],
    [["defaults", "wasm", "memoryMiB"], 0],
    [["defaults", "http"], {}],
    [["defaults", "model", "timeoutMs"], 0],
    [["defaultModel"], ""],
    [["modelProviders", "here", "type"], "gemini"],
    [["modelProviders", "here", "apiKeyEnv"], "sk-1"],
    [["modelProviders", "a/b"], {}],
    [["mcpServers", "policy", "command"], undefined],
    [["mcpServers", "desk", "url"], "ftp://desk.example/"],
    [["mcpServers", "desk", "command"], "x"],
    [["hooks", "Stop", 0, "hooks", 1, "maxTokens"], 32_001],
    [["hooks", "Stop", 0, "hooks", 2, "maxTurns"], 51],
    [["hooks", "Stop", 0, "hooks", 2, "maxTokens"], 2_000_001],
    [["hooks", "TurnStart", 0, "hooks", 0, "run"], "builtin:nobody"],
    [["hooks", "PreToolUze"], []],
    [["hooks", "Stop"], {}],
    [["hooks", "Stop", 0, "mather"], "Bash"],
    [["hooks", "Stop", 0, "hooks"], undefined],
    [["hooks", "PreToolUse", 0, "matcher"], 7],
    [[...guard, "type"], "wsm"],
    [[...guard, "type"], undefined],
    [[...guard, "module"], undefined],
    [[...guard, "sha256"], "abc"],
    [[...guard, "may"], ["denied"]],
    [[...guard, "limits", "memoryMib"], 4],
    [[...guard, "command"], "a"],
    [[...command, "command"], ""],
    [[...command, "args"], "b"],
    [[...command, "timeout"], 0],
    [[...command, "env"], { "1A": "b" }],
    [[...command, "onFailure"], "deny"],
  ])("rejects a mistake: %j becomes %j", (path, value) => {
    expect(accepts(schema, changed(path, value))).toBe(false);
  });

  test("knows every event of the table, and no other", () => {
    const { hooks } = schema["properties"] as Record<string, JsonSchema>;
    expect(Object.keys(hooks?.["properties"] as object)).toEqual(EVENT_NAMES);
    expect(hooks?.["additionalProperties"]).toBe(false);
  });

  test("allows at each event the types of hooks that the parser allows there", async () => {
    const hooks = [
      { type: "command", command: "a" },
      { type: "http", url: "https://example.org" },
      { type: "context", text: "a" },
      { type: "wasm", module: "a.wasm" },
      { type: "mcp_tool", server: "s", tool: "t" },
      { type: "prompt", prompt: "?" },
      { type: "agent", prompt: "?" },
      { type: "model", prompt: "?" },
      { type: "function", run: "builtin:add_date" },
    ];
    for (const event of EVENT_NAMES) {
      for (const hook of hooks) {
        const { problems } = await parseHandler("hookbox", hook, event);
        const refusals = ["HOOK_CONFIG_HANDLER", "HOOK_CONFIG_UNSUPPORTED"];
        const serves = !problems.some(({ code }) => refusals.includes(code));
        const accepted = accepts(schema, { hooks: { [event]: [{ hooks: [hook] }] } });
        expect([event, hook.type, accepted]).toEqual([event, hook.type, serves]);
      }
    }
  });

  test("defines each type of hook once, so that editors and packages do not carry fifty copies", () => {
    expect(JSON.stringify(schema).length).toBeLessThan(50_000);
  });

  test("is plain JSON and names its schema language", () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(schema["$schema"]).toMatch(/^https:\/\/json-schema\.org\//);
  });

  test("agrees with the parser about every hook", async () => {
    const keys = fc.constantFrom(
      ...new Set(Object.values(HOOKBOX_HANDLERS).flatMap((shape) => Object.keys(shape))),
      "x",
    );
    const values = fc.oneof(
      fc.constantFrom("a", "", "bash", "block", "enforce", true, false, 1, 0, 0.5, -1, null, "0a".repeat(32)),
      fc.constantFrom({}, [], ["deny"], { A: "b" }, { memoryMiB: 2 }, { deep: [{}] }),
      fc.jsonValue(),
    );
    const hooks = fc
      .tuple(
        fc.constantFrom(
          { type: "command", command: "a" },
          { type: "wasm", module: "a.wasm" },
          { type: "http", url: "https://example.org" },
          { type: "prompt", prompt: "?" },
          { type: "mcp_tool", server: "s", tool: "t" },
          { type: "agent", prompt: "?" },
          { type: "model", prompt: "?" },
          { type: "function", run: "builtin:add_date" },
          { type: "nobody" },
        ),
        fc.array(fc.tuple(keys, values), { maxLength: 2 }),
      )
      .map(([hook, entries]): Record<string, unknown> => ({ ...hook, ...Object.fromEntries(entries) }));
    const MALFORMED = ["HOOK_CONFIG_TYPE", "HOOK_CONFIG_UNKNOWN_KEY", "HOOK_CONFIG_HANDLER", "HOOK_CONFIG_UNSUPPORTED"];
    await fc.assert(
      fc.asyncProperty(hooks, async (hook) => {
        const { problems } = await parseHandler("hookbox", hook, "PreToolUse");
        const wellFormed = !problems.some(({ code }) => MALFORMED.includes(code));
        expect(accepts(schema, { hooks: { PreToolUse: [{ hooks: [hook] }] } })).toBe(wellFormed);
      }),
      { numRuns: 1_000 },
    );
  });
});
