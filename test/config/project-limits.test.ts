import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { Layer } from "../../src/layer-trust.ts";
import { brokenIn, folderWith, writtenIn } from "./config-files.ts";

/**
 * The limits of a file that may come with a repository, because reading and matching its rules takes time from all
 * others.
 */

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const command = (index: number): object => ({ type: "command", command: `true ${index}` });
const hooks = (list: readonly object[]): object => ({ hooks: { PreToolUse: [{ hooks: list }] } });

/** Returns the requested number of hooks in each format. */
const FORMATS: readonly (readonly [dialect: string, file: string, make: (count: number) => object])[] = [
  ["hookbox", "hookbox.json", (count) => hooks(numbers(count).map(command))],
  ["claude-code", "settings.json", (count) => hooks(numbers(count).map(command))],
  ["docker-agent", "agent.yaml", (count) => ({ hooks: { session_start: numbers(count).map(command) } })],
  ["agentao", "hooks.json", (count) => hooks(numbers(count).map(command))],
  [
    "autohand",
    "config.json",
    (count) => ({
      hooks: { hooks: numbers(count).map((index) => ({ event: "pre-tool", command: `true ${index}` })) },
    }),
  ],
  ["patterns", "rules.json", (count) => ({ hooks_config: { PreToolUse: [{ hooks: numbers(count).map(command) }] } })],
];

const load = (dialect: string, file: string, value: object, layer: Layer = "project") =>
  loadConfig([{ file, layer, dialect }], [], folderWith({ [file]: JSON.stringify(value) }));

describe.each(FORMATS)("a project's file of %s", (dialect, file, make) => {
  test("has at most a thousand rules; with one more, its gates are shut by name", async () => {
    const most = await load(dialect, file, make(1_000));
    expect(writtenIn(most.rules)).toHaveLength(1_000);
    expect(most.problems.filter(({ severity }) => severity === "error")).toEqual([]);

    const { rules, problems } = await load(dialect, file, make(1_001));
    expect(brokenIn(rules)).toEqual([{ event: "*", matcher: undefined, code: "HOOK_CONFIG_LIMIT", type: "unknown" }]);
    expect(rules).toHaveLength(1);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
      {
        code: "HOOK_CONFIG_LIMIT",
        message: "the file has more than 1000 rules; a file that may come with a repository cannot have more",
        place: { file, line: 1, pointer: expect.stringContaining("/1000") },
      },
    ]);
  });

  test("may have more if it is the user's", async () => {
    const { rules } = await load(dialect, file, make(1_200), "user");
    expect(writtenIn(rules)).toHaveLength(1_200);
  });
});

describe("a project's file", () => {
  const filed = (value: object, layer?: Layer) => load("hookbox", "hookbox.json", value, layer);

  test.each<[string, (index: number) => object]>([
    ["that is broken", (index: number) => ({ type: "commmand", command: `${index}` })],
    ["that is switched off", (index: number) => ({ ...command(index), enabled: false })],
  ])("may not have more hooks of a kind %s, either", async (_, hook) => {
    expect(brokenIn((await filed(hooks(numbers(1_001).map(hook)))).rules)).toMatchObject([
      { event: "*", code: "HOOK_CONFIG_LIMIT" },
    ]);
  });

  test("over the limit does not prevent other files from being read", async () => {
    const folder = folderWith({
      "large.json": JSON.stringify(hooks(numbers(1_001).map(command))),
      "small.json": JSON.stringify(hooks([command(1)])),
    });
    const files = ["large.json", "small.json"].map((file) => ({ file, layer: "project" as const }));
    const { rules } = await loadConfig(files, [], folder);
    expect(rules.map(({ handler }) => handler.type)).toEqual(["broken", "command"]);
  });

  const long = "a".repeat(900);
  const wide = numbers(200).map((index) => `tool${index}`);
  test.each<[string, (count: number) => object]>([
    [
      "matchers",
      (count) => ({
        hooks: {
          PreToolUse: numbers(count).map((index) => ({ matcher: `${index}.${long}`, hooks: [command(index)] })),
        },
      }),
    ],
    [
      "one matcher of many hooks",
      (count) => ({ hooks: { PreToolUse: [{ matcher: long, hooks: numbers(count).map(command) }] } }),
    ],
    [
      "matchers that unfold",
      (count) => ({
        hooks: {
          PreToolUse: numbers(count).map((index) => ({ matcher: `${index}(a{20}b){40}`, hooks: [command(index)] })),
        },
      }),
    ],
    [
      "matchers that are none",
      (count) => ({
        hooks: { PreToolUse: numbers(count).map((index) => ({ matcher: `(${index}${long}`, hooks: [] })) },
      }),
    ],
    [
      "conditions",
      (count) => hooks(numbers(count).map((index) => ({ ...command(index), if: `Bash(${long} ${index})` }))),
    ],
    ["paths", (count) => hooks(numbers(count).map((index) => ({ ...command(index), filter: { paths: wide } })))],
    ["tools", (count) => hooks(numbers(count).map((index) => ({ ...command(index), filter: { tools: wide } })))],
  ])("has a limit for long %s", async (_, make) => {
    expect((await filed(make(10))).problems.map(({ code }) => code)).not.toContain("HOOK_CONFIG_LIMIT");
    const { rules, problems } = await filed(make(100));
    expect(brokenIn(rules)).toMatchObject([{ event: "*", code: "HOOK_CONFIG_LIMIT" }]);
    expect(problems.at(-1)?.message).toBe(
      "the file has more than 50000 characters of matchers, conditions and filters, with repetitions written out; a file that may come with a repository cannot have more",
    );
    expect(brokenIn((await filed(make(100), "user")).rules).map(({ code }) => code)).not.toContain("HOOK_CONFIG_LIMIT");
  });

  test("is not listed again in the hint of each of its rules", async () => {
    const names = numbers(500).map((index) => `server${index} ${long}`);
    const servers = Object.fromEntries(names.map((name) => [name, { command: "server" }]));
    const asking = numbers(1_000).map((index) => ({ type: "mcp_tool", server: "other", tool: `tool${index}` }));
    const { rules } = await filed({ mcpServers: servers, ...hooks(asking) });
    const broken = rules.flatMap(({ handler }) => (handler.type === "broken" ? [handler.problem] : []));
    expect(broken).toHaveLength(1_000);
    expect(broken[0]?.hint).toContain("servers: server0 ");
    expect(broken[0]?.hint).toContain(", and 480 more; ");
    expect(JSON.stringify(broken).length).toBeLessThan(3_000_000);
  });

  test.each(["allowedHttpHookUrls", "httpHookAllowedEnvVars"])("has a limit for %s", async (key) => {
    const { problems } = await filed({ [key]: numbers(1_001).map(String) });
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_TYPE", message: expect.stringContaining("1000") }]);
  });

  test.each(["tools", "paths"])("may not have a filter with any number of %s", async (key) => {
    const hook = { ...command(1), filter: { [key]: numbers(1_001).map(String) } };
    for (const layer of ["project", "user"] as const) {
      const { rules, problems } = await filed(hooks([hook]), layer);
      expect(problems).toMatchObject([{ code: "HOOK_CONFIG_TYPE", message: expect.stringContaining("1000") }]);
      expect(brokenIn(rules)).toMatchObject([{ event: "PreToolUse" }]);
    }
  });
});

describe.each(["hookbox.json", "hookbox.yaml"])(
  "a project's %s with more values than a project's file may have",
  (file) => {
    // JSON is YAML, so one text serves both.
    const text = JSON.stringify({ hooks: {}, extra: numbers(25_000) });
    const loaded = (layer: Layer) => loadConfig([{ file, layer }], [], folderWith({ [file]: text }));

    test("shuts its gates, because parsing it takes time from the user's rules", async () => {
      const { rules, problems } = await loaded("project");
      expect(brokenIn(rules)).toMatchObject([{ event: "*", code: "HOOK_CONFIG_LIMIT" }]);
      expect(problems).toMatchObject([{ severity: "error", message: "the file has more than 25000 values" }]);
    });

    test("is read if it is the user's", async () => {
      const { problems } = await loaded("user");
      expect(problems.map(({ code }) => code)).toEqual(["HOOK_CONFIG_UNKNOWN_KEY"]);
    });
  },
);
