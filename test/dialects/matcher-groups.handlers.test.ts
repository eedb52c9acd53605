import { describe, expect, test } from "vitest";
import { configText, FORMATS, outcomeOf, parse, parseHandler, placeOf } from "./parse.ts";

test.each([
  ["builtin", 'write "type": "function", "run": "builtin:NAME"'],
  ["mcp", 'did you mean "mcp_tool"?'],
  ["webhook", 'did you mean "http"?'],
])("an agent's word for a type of hook (%s) is answered with ours", async (type, hint) => {
  const { broken, problems } = await outcomeOf("hookbox", configText.handler(`{ "type": "${type}" }`));
  expect(problems).toMatchObject([{ code: "HOOK_CONFIG_HANDLER", message: `unknown hook type "${type}"`, hint }]);
  expect(broken).toMatchObject([{ event: "PreToolUse", code: "HOOK_CONFIG_HANDLER" }]);
});

describe.each(FORMATS)("the type of a hook in a %s file", (format) => {
  test.each([
    ['"comand"', "comand", 'did you mean "command"?'],
    ['"Command"', "Command", 'did you mean "command"?'],
    ['"htp"', "htp", 'did you mean "http"?'],
    ['"cedar-policy"', "cedar-policy", /^known types: command, /],
    ['"constructor"', "constructor", /^known types: command, /],
  ])("that is unknown (%s) leaves a broken rule for its tools", async (type, declared, hint) => {
    const text = configText.handler(`{ "name": "n", "type": ${type}, "x": 1 }`);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toEqual([
      {
        severity: "error",
        code: "HOOK_CONFIG_HANDLER",
        message: `unknown hook type ${type}`,
        hint: typeof hint === "string" ? hint : expect.stringMatching(hint),
        place: { ...placeOf(type, text), pointer: "/hooks/PreToolUse/0/hooks/1/type" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_HANDLER", type: declared }]);
    expect(othersLoaded).toBe(true);
  });

  test("that is missing leaves a broken rule for its tools", async () => {
    const text = configText.handler('{ "command": "a" }');
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_HANDLER",
        message: 'a hook needs a "type"',
        hint: expect.stringMatching(/^known types: /),
        place: placeOf('{ "command": "a" }', text),
      },
    ]);
    expect(broken).toMatchObject([{ event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_HANDLER" }]);
    expect(othersLoaded).toBe(true);
  });

  test.each(["{}", '{ "type": null }', '{ "type": {} }', '{ "type": ["command"] }'])(
    "that is not text (%s) is called unknown",
    async (entry) => {
      const { broken } = await outcomeOf(format, configText.handler(entry));
      expect(broken).toMatchObject([{ matcher: "Bash", code: "HOOK_CONFIG_HANDLER", type: "unknown" }]);
    },
  );

  // … and throws for an object with its own `toString`, so that createEngine would reject and nothing would be loaded.
  test.each(['{ "type": { "toString": 1 } }', '{ "type": { "toString": null, "valueOf": null } }'])(
    "that is hostile (%s) breaks only its own rule",
    async (entry) => {
      const { othersLoaded, broken } = await outcomeOf(format, configText.handler(entry));
      expect(broken).toMatchObject([{ event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_HANDLER" }]);
      expect(othersLoaded).toBe(true);
    },
  );

  test.each([
    ["prompt", '"prompt": "is this fine?"', "SessionStart"],
    ["agent", '"prompt": "is this fine?"', "PreCompact"],
    ["http", '"url": "https://example.org"', "Setup"],
  ])("that is not allowed at the event (%s) leaves a broken rule there", async (type, fields, event) => {
    const text = configText.handler(`{ "type": "${type}", ${fields} }`, event);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_HANDLER",
        message: `a hook of type "${type}" cannot serve ${event}`,
        hint: expect.stringMatching(new RegExp(`^${event} takes: command(?:, |$)`)),
        place: { ...placeOf(`"${type}", `, text), pointer: `/hooks/${event}/0/hooks/1/type` },
      },
    ]);
    expect(broken).toEqual([{ event, matcher: "Bash", code: "HOOK_CONFIG_HANDLER", type }]);
    expect(othersLoaded).toBe(true);
  });

  test("that is not allowed at the event, or unknown, is answered with the allowed types", async () => {
    const hooks = [{ type: "prompt", prompt: "?" }, { type: "cedar-policy" }, { type: "promt" }];
    for (const hook of hooks) {
      const { problems } = await parseHandler(format, hook, "SessionStart");
      const offered = (problems[0]?.hint ?? "").replace(/^(SessionStart takes|known types): /, "").split(", ");
      expect(offered).toContain("command");
      expect(offered.filter((type) => !["command", "wasm", "context", "function", "mcp_tool"].includes(type))).toEqual(
        [],
      );
    }
  });
});

describe.each(FORMATS)("a setting of a %s file", (format) => {
  test.each(["once"])("may be switched off: %s", async (field) => {
    const { rule, problems } = await parseHandler(format, { type: "command", command: "a", [field]: false });
    expect(problems).toEqual([]);
    expect(rule?.handler.type).toBe("command");
  });
});

test("`once` in settings has no effect, and is reported", async () => {
  const hook = { type: "command", command: "a", once: true };
  const { rule, problems } = await parseHandler("claude-code", hook);
  expect(rule?.handler.type).toBe("command");
  expect(rule?.once).toBeUndefined();
  expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
  expect((await parseHandler("claude-code", { ...hook, once: false })).problems).toEqual([]);
});

test.each(FORMATS)("a hook of a %s file may wake the agent up, which makes it async", async (format) => {
  const { rule, problems } = await parseHandler(format, { type: "command", command: "a", asyncRewake: true });
  expect(problems).toEqual([]);
  expect(rule).toMatchObject({ async: true, rewakes: true });
});

test.each(FORMATS)("a hook of a %s file may be for PowerShell", async (format) => {
  const { rule, problems } = await parseHandler(format, { type: "command", command: "a", shell: "powershell" });
  expect(problems).toEqual([]);
  expect(rule?.handler).toMatchObject({ shell: "powershell" });
});

describe("an unknown key", () => {
  test("is an error in a hook of hookbox's own format, and leaves a broken rule for its tools", async () => {
    const text = configText.handler('{ "type": "command", "command": "a", "timeoutms": 5, "xyzzy": 1 }');
    const { othersLoaded, broken, loaded, problems } = await outcomeOf("hookbox", text);
    expect(problems).toEqual([
      {
        severity: "error",
        code: "HOOK_CONFIG_UNKNOWN_KEY",
        message: 'unknown key "timeoutms" in a command hook',
        hint: 'did you mean "timeoutMs"?',
        place: { ...placeOf('"timeoutms"', text), pointer: "/hooks/PreToolUse/0/hooks/1/timeoutms" },
      },
      {
        severity: "error",
        code: "HOOK_CONFIG_UNKNOWN_KEY",
        message: 'unknown key "xyzzy" in a command hook',
        place: { ...placeOf('"xyzzy"', text), pointer: "/hooks/PreToolUse/0/hooks/1/xyzzy" },
      },
    ]);
    expect(broken).toEqual([
      { event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_UNKNOWN_KEY", type: "command" },
    ]);
    expect({ othersLoaded, loaded }).toEqual({ othersLoaded: true, loaded: [] });
  });

  test("is a warning in an imported hook, which loads", async () => {
    const text = configText.handler('{ "type": "command", "command": "a", "onFailur": "block" }');
    const { othersLoaded, broken, loaded, problems } = await outcomeOf("claude-code", text);
    expect(problems).toEqual([
      {
        severity: "warning",
        code: "HOOK_CONFIG_UNKNOWN_KEY",
        message: 'unknown key "onFailur" in a command hook',
        hint: 'did you mean "onFailure"?',
        place: { ...placeOf('"onFailur"', text), pointer: "/hooks/PreToolUse/0/hooks/1/onFailur" },
      },
    ]);
    expect({ othersLoaded, broken, loaded }).toEqual({ othersLoaded: true, broken: [], loaded: ["a"] });
  });

  test("is still only a warning next to the error that keeps an imported hook from loading", async () => {
    const { problems } = await outcomeOf(
      "claude-code",
      configText.handler('{ "type": "command", "command": 1, "extra": 1 }'),
    );
    expect(problems.map(({ severity, code }) => [severity, code])).toEqual([
      ["warning", "HOOK_CONFIG_UNKNOWN_KEY"],
      ["error", "HOOK_CONFIG_TYPE"],
    ]);
  });

  test("is an error inside the limits of a guard, with a suggestion", async () => {
    const text = configText.handler('{ "type": "wasm", "module": "a.wasm", "limits": { "memoryMib": 4 } }');
    const { broken, problems } = await outcomeOf("hookbox", text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_UNKNOWN_KEY",
        hint: 'did you mean "memoryMiB"?',
        place: { ...placeOf('"memoryMib"', text), pointer: "/hooks/PreToolUse/0/hooks/1/limits/memoryMib" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_UNKNOWN_KEY", type: "wasm" }]);
  });

  test.each(
    FORMATS.flatMap((format) => [[format, "mather", "matcher"] as const, [format, "tools", undefined] as const]),
  )(
    "in a group of a %s file could narrow it (%s), so the group is broken for every tool",
    async (format, key, meant) => {
      const hook = '{ "type": "command", "command": "lost" }';
      const text = configText.group(`{ "matcher": "Write", "${key}": "Bash", "hooks": [ ${hook} ] }`);
      const { othersLoaded, broken, loaded, problems } = await outcomeOf(format, text);
      expect(problems).toEqual([
        {
          severity: "error",
          code: "HOOK_CONFIG_UNKNOWN_KEY",
          message: `unknown key "${key}" in a matcher group`,
          hint: meant === undefined ? expect.stringContaining("matcher, hooks") : `did you mean "${meant}"?`,
          place: { ...placeOf(`"${key}"`, text), pointer: `/hooks/PreToolUse/1/${key}` },
        },
      ]);
      expect(broken).toEqual([
        { event: "PreToolUse", matcher: undefined, code: "HOOK_CONFIG_UNKNOWN_KEY", type: "unknown" },
      ]);
      expect({ othersLoaded, loaded }).toEqual({ othersLoaded: true, loaded: [] });
    },
  );

  test("may be a description of a group", async () => {
    const { problems } = await parse("hookbox", { hooks: { Stop: [{ description: "why", hooks: [] }] } });
    expect(problems).toEqual([]);
  });
});
