import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { autohand } from "../../../src/dialects/autohand/dialect.ts";
import { contractOf } from "../../../src/events/lookup.ts";
import { createEngine } from "../../../src/index.ts";
import { brokenIn, commandsIn, folderWith, whereIs } from "../../config/config-files.ts";
import fc from "../../helpers/fc.ts";
import { list, parse } from "./parse.ts";

const hook = (more: object = {}) => ({ event: "pre-tool", command: "true", ...more });

describe("a hook", () => {
  test("has its defaults", async () => {
    const { rules, problems } = await parse(list(hook()));
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        event: "PreToolUse",
        name: expect.stringMatching(/ pre-tool #1$/),
        timeoutMs: 5_000,
        async: false,
        matcher: undefined,
        dialect: "autohand",
        layer: "user",
      },
    ]);
    expect(rules[0]?.filter).toBeUndefined();
  });

  test("has the given settings", async () => {
    const filter = { tool: ["write_file"], path: ["src/**/*.ts"] };
    const said = { description: "Checks.", timeout: 250, async: true, matcher: "file$", filter };
    const { rules, problems } = await parse(list(hook({ ...said, event: "post-tool" })));
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        name: "Checks.",
        timeoutMs: 250,
        async: true,
        matcher: "file$",
        filter: { tools: ["write_file"], paths: ["src/**/*.ts"] },
      },
    ]);
  });

  test("is off only if it says so; nulls and empty filters have no effect", async () => {
    const nothing = { enabled: null, matcher: null, timeout: null, filter: { tool: [], path: [] } };
    const { rules, problems } = await parse(list(hook({ enabled: false }), hook({ enabled: true }), hook(nothing)));
    expect([rules.length, problems]).toEqual([2, []]);
    expect(rules[1]?.filter).toBeUndefined();
  });

  test("that is configured twice runs twice, as in the agent", async () => {
    const { rules } = await parse(list(hook(), hook()));
    expect(rules.map(({ identity }) => identity)).toEqual([undefined, undefined]);
  });
});

describe("a file", () => {
  test.each([true, null, undefined])("with the switch at %j has its hooks on", async (enabled) => {
    const { rules, problems } = await parse({ hooks: { enabled, hooks: [hook()] } });
    expect([rules.length, problems]).toEqual([1, []]);
  });

  test("that switches its hooks off has none, whatever their form", async () => {
    expect(await parse({ hooks: { enabled: false, hooks: [3] } })).toEqual({ rules: [], problems: [] });
  });

  test("may have other settings, which are ignored", async () => {
    const text = { provider: "x", model: 3, permissions: { mode: "odd" }, hooks: { hooks: [] } };
    expect(await parse(text)).toEqual({ rules: [], problems: [] });
    expect(await parse({ provider: "x" })).toEqual({ rules: [], problems: [] });
  });

  test("may have hooks under their events, which the agent itself does not read", async () => {
    const { rules, problems } = await parse({
      hooks: { "pre-tool": [{ command: "a" }, { command: "b" }], stop: { command: "c" } },
    });
    expect(commandsIn(rules)).toEqual(["a", "b", "c"]);
    expect(problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
      Array(2).fill("warning HOOK_CONFIG_INERT"),
    );
  });

  test("of the agent's own is in the user's home", async () => {
    expect(await autohand.places?.({ cwd: "/work", home: "/home/me" })).toEqual([
      { file: "/home/me/.autohand/config.json", layer: "user" },
    ]);
  });
});

const entry = (text: string) => `{
  "hooks": { "hooks": [
    { "event": "pre-tool", "command": "before" },
    ${text},
    { "event": "stop", "command": "behind" }
  ] }
}`;

/**
 * The entry of the list, the text that the problem points at, part of its hint, and the event that has no usable hook
 * then.
 */
const MALFORMED: readonly (readonly [entry: string, at: string, hint: string | undefined, lost: string])[] = [
  ["3", "3", undefined, "*"],
  ["[]", "[]", undefined, "*"],
  [`{ "command": "c" }`, `{ "command": "c" }`, "pre-tool", "*"],
  [`{ "event": 7, "command": "c" }`, "7", "pre-tool", "*"],
  [`{ "event": "pre_tool", "command": "c" }`, `"pre_tool"`, "pre-tool", "PreToolUse"],
  [
    `{ "event": "permision-request", "command": "c" }`,
    `"permision-request"`,
    "permission-request",
    "PermissionRequest",
  ],
  [`{ "event": "pre-tool" , "x": 1 }`, `{ "event": "pre-tool" , "x": 1 }`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "" }`, `""`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": ["c"] }`, `["c"]`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "timeout": "5s" }`, `"5s"`, "milliseconds", "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "timeout": -5 }`, "-5", "milliseconds", "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "enabled": "no" }`, `"no"`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "async": 1 }`, "1 }", undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "matcher": "(" }`, `"("`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "matcher": "a(?=b)" }`, `"a(?=b)"`, undefined, "PreToolUse"],
  [`{ "event": "permission-request", "command": "c", "matcher": ["x"] }`, `["x"]`, undefined, "PermissionRequest"],
  [`{ "event": "pre-tool", "command": "c", "filter": "x" }`, `"x"`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "filter": { "tool": "x" } }`, `"x"`, undefined, "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "filter": { "tools": ["x"] } }`, `"tools"`, "tool", "PreToolUse"],
  [`{ "event": "pre-tool", "command": "c", "filter": { "path": [3] } }`, "3] }", undefined, "PreToolUse"],
  [`{ "event": "pre-learn", "command": 4 }`, "4 }", undefined, "BeforeLearn"],
];

describe("an invalid part of a file", () => {
  test.each(MALFORMED)("%s is reported with its place, and its gate denies", async (text, at, hint, lost) => {
    const whole = entry(text);
    const { rules, problems } = await parse(whole);
    expect(commandsIn(rules)).toEqual(["before", "behind"]);
    expect(brokenIn(rules)).toMatchObject([{ event: lost }]);
    const [problem] = problems.filter(({ severity }) => severity === "error");
    expect(problem?.place).toMatchObject(whereIs(at, whole));
    if (hint !== undefined) expect(problem?.hint).toContain(hint);

    const folder = folderWith({ "config.json": whole.replace('"before"', '"true"') });
    await using engine = await createEngine({
      configFiles: [{ file: `${folder}/config.json`, dialect: "autohand" }],
      cwd: folder,
      dialect: "autohand",
      cacheDir: false,
    });
    const event = lost === "*" ? "PreToolUse" : lost;
    const verdict = await engine.dispatch(event, { cwd: folder, tool_name: "x", tool_input: {} });
    expect(verdict).toMatchObject({
      decision: contractOf(event, "autohand")?.verdicts.includes("deny") ? "deny" : "block",
    });
  });

  test.each([
    ["a list in the place of the section", { hooks: [hook()] }],
    ["a text in the place of the list", { hooks: { hooks: "x" } }],
    ["an object in the place of the list", { hooks: { hooks: { "pre-tool": [] } } }],
    ["a list under a misspelt name", { hooks: { hook: [hook()] } }],
    ["a section under a misspelt name", { Hooks: { hooks: [hook()] } }],
    ["a misspelt section beside another", { hook: { hooks: [hook()] }, hooks: { hooks: [] } }],
  ])("that is the whole section shuts every gate: %s", async (_, config) => {
    const { rules, problems } = await parse(config);
    expect([brokenIn(rules), problems]).toMatchObject([
      [{ event: "*" }],
      [{ severity: "error", hint: expect.any(String) }],
    ]);
  });

  test("that is next to the section and has a gate's name shuts that gate", async () => {
    const { rules, problems } = await parse({ "pre-tool": [hook()], stop: [], hooks: { hooks: [] } });
    expect([brokenIn(rules), problems]).toMatchObject([[{ event: "PreToolUse" }], [{ severity: "error" }]]);
  });

  test.each<readonly [string, object, string]>([
    ["an event that may be newer", { event: "moon-phase", command: "c" }, "HOOK_CONFIG_UNKNOWN_EVENT"],
    ["a key that nobody knows", hook({ matchr: "x" }), "HOOK_CONFIG_UNKNOWN_KEY"],
    ["a matcher of a single star", hook({ matcher: "*" }), "HOOK_CONFIG_MATCHER"],
    ["a matcher where nothing is matched", { event: "stop", command: "c", matcher: "x" }, "HOOK_CONFIG_INERT"],
    ["a hook at a gate that nobody waits for", hook({ async: true }), "HOOK_CONFIG_INERT"],
    ["a timeout that looks like seconds", hook({ timeout: 5 }), "HOOK_CONFIG_TYPE"],
    [
      "a tool filter where there are no tools",
      { event: "stop", command: "c", filter: { tool: ["x"] } },
      "HOOK_CONFIG_INERT",
    ],
    [
      "a path filter at an event without a file",
      { event: "pre-prompt", command: "c", filter: { path: ["src/**"] } },
      "HOOK_CONFIG_INERT",
    ],
  ])("with a harmless mistake is a warning: %s", async (_, one, code) => {
    const { rules, problems } = await parse(list(one));
    expect(brokenIn(rules)).toEqual([]);
    expect(problems).toMatchObject([{ severity: "warning", code }]);
  });

  test.each(["pre-tool", "post-tool", "permission-request", "file-modified"])(
    "is not a path filter at %s",
    async (event) => {
      expect((await parse(list({ event, command: "c", filter: { path: ["src/**"] } }))).problems).toEqual([]);
    },
  );

  test("never throws and never loses a hook silently, for any value", async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("pre-tool", "(", true, 5, { tool: ["x"] }));
    const entries = fc.dictionary(
      fc.constantFrom("event", "command", "enabled", "timeout", "async", "matcher", "filter", "description", "x"),
      value,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(entries, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }), async (hooks) => {
        const { rules, problems } = await parse(list(...hooks));
        const off = hooks.filter(
          (one) => typeof one === "object" && one !== null && !Array.isArray(one) && one["enabled"] === false,
        );
        const warned = problems.filter(
          ({ code, severity }) => code === "HOOK_CONFIG_UNKNOWN_EVENT" && severity === "warning",
        );
        expect(rules.length + off.length + warned.length).toBe(hooks.length);
        expect(brokenIn(rules).length > 0).toBe(problems.some(({ severity }) => severity === "error"));
      }),
      { numRuns: 150 },
    );
    for (const hooks of [null, 3, "x", [], { hooks: null }, { enabled: 3 }]) await parse({ hooks });
  });
});

test("a guard keeps its gate shut, whatever else the file contains", async () => {
  const folder = folderWith();
  const junk = fc.array(
    fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(hook({ command: 'echo \'{"decision":"allow"}\'' }))),
    { maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(junk, junk, async (before, behind) => {
      const config = list(...before, hook({ command: "exit 2" }), ...behind);
      writeFileSync(`${folder}/config.json`, JSON.stringify(config));
      await using engine = await createEngine({
        configFiles: [{ file: `${folder}/config.json`, dialect: "autohand" }],
        cwd: folder,
        dialect: "autohand",
        cacheDir: false,
      });
      const { decision } = await engine.dispatch("PreToolUse", {
        cwd: folder,
        tool_name: "Bash",
        tool_input: { command: "ls" },
      });
      expect(decision).toBe("deny");
    }),
    { numRuns: 25 },
  );
});
