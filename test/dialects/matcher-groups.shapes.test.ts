import { describe, expect, test } from "vitest";
import { configText, FORMATS, outcomeOf, parse, placeOf } from "./parse.ts";

describe.each(FORMATS)("a value of the wrong type in a %s file", (format) => {
  test.each([
    ["null", "null"],
    ["[]", "a list"],
    ["true", "a boolean"],
    ['"./hooks.json"', "a string"],
  ])("in place of the object of hooks (%s) leaves a broken rule at every event", async (value, kind) => {
    const text = `{\n  "hooks": ${value}\n}`;
    const { rules, problems } = await parse(format, text);
    expect(problems).toEqual([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: `"hooks" must be an object of events, not ${kind}`,
        place: { ...placeOf(value, text), pointer: "/hooks" },
      },
    ]);
    expect(rules).toMatchObject([{ event: "*", matcher: undefined, dialect: format, handler: { type: "broken" } }]);
  });

  test.each([
    ["null", "null"],
    ["{}", "an object"],
    ["17", "a number"],
  ])("in place of an event's list (%s) leaves a broken rule at that event", async (value, kind) => {
    const text = configText.event(`"PreToolUse": ${value}`);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: `PreToolUse must be a list of matcher groups, not ${kind}`,
        place: { ...placeOf(`${value},\n    "Stop"`, text), pointer: "/hooks/PreToolUse" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: undefined, code: "HOOK_CONFIG_TYPE", type: "unknown" }]);
    expect(othersLoaded).toBe(true);
  });

  test.each([
    ["null", "null"],
    ['"Bash"', "a string"],
    ["[]", "a list"],
  ])("in place of a matcher group (%s) leaves a broken rule for every tool", async (value, kind) => {
    const text = configText.group(`${value}`);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: `a matcher group must be an object, not ${kind}`,
        place: { ...placeOf(`${value},\n      {`, text), pointer: "/hooks/PreToolUse/1" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: undefined, code: "HOOK_CONFIG_TYPE", type: "unknown" }]);
    expect(othersLoaded).toBe(true);
  });

  test.each([
    ["null", "null"],
    ["5", "a number"],
    ['["Write"]', "a list"],
  ])("in place of a matcher's text (%s) leaves a broken rule for every tool", async (value, kind) => {
    const text = configText.group(`{ "matcher": ${value}, "hooks": [ { "type": "command", "command": "lost" } ] }`);
    const { othersLoaded, broken, loaded, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: `matcher must be a string, not ${kind}`,
        place: { ...placeOf(`${value}, "hooks": [ { "type": "command", "command": "lost"`, text) },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: undefined, code: "HOOK_CONFIG_TYPE", type: "unknown" }]);
    expect({ othersLoaded, loaded }).toEqual({ othersLoaded: true, loaded: [] });
  });

  test.each([
    ['{ "matcher": "Write" }', '{ "matcher": "Write"', "nothing"],
    ['{ "matcher": "Write", "hooks": {} }', "{} }", "an object"],
    ['{ "matcher": "Write", "hooks": "a.sh" }', '"a.sh"', "a string"],
  ])("in place of a group's hooks (%s) leaves a broken rule for its tools", async (group, needle, kind) => {
    const text = configText.group(group);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: `"hooks" of a matcher group must be a list, not ${kind}`,
        place: { ...placeOf(needle, text), pointer: "/hooks/PreToolUse/1/hooks" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: "Write", code: "HOOK_CONFIG_TYPE", type: "unknown" }]);
    expect(othersLoaded).toBe(true);
  });

  test.each([
    ["null", "null"],
    ['"./guard.sh"', "a string"],
    ["[ ]", "a list"],
  ])("in place of a hook (%s) leaves a broken rule for its tools", async (value, kind) => {
    const text = configText.handler(value);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: `a hook must be an object, not ${kind}`,
        place: { ...placeOf(value, text), pointer: "/hooks/PreToolUse/0/hooks/1" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_TYPE", type: "unknown" }]);
    expect(othersLoaded).toBe(true);
  });

  test.each([
    ['"command": 7', "7", "command"],
    ['"command": ""', '""', "command"],
    ['"command": "a", "args": "b"', '"b"', "args"],
    ['"command": "a", "args": ["b", 5]', "5]", "args.1"],
    ['"command": "a", "timeout": "5"', '"5"', "timeout"],
    ['"command": "a", "timeout": 0', "0 }", "timeout"],
    ['"command": "a", "timeout": -1', "-1", "timeout"],
    ['"command": "a", "timeout": 86401', "86401", "timeout"],
    ['"command": "a", "shell": "zsh"', '"zsh"', "shell"],
    ['"command": "a", "async": "yes"', '"yes"', "async"],
    ['"command": "a", "onFailure": "deny"', '"deny"', "onFailure"],
    ['"command": "a", "if": 7', "7 }", "if"],
    ['"command": null', "null", "command"],
  ])("in a field of a hook (%s) leaves a broken rule for its tools", async (fields, needle, name) => {
    const text = configText.handler(`{ "type": "command", ${fields} }`);
    const { othersLoaded, broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TYPE",
        message: expect.stringMatching(new RegExp(`^${name} (is|has) .*; expected `)),
        place: { ...placeOf(needle, text), pointer: `/hooks/PreToolUse/0/hooks/1/${name.replace(".", "/")}` },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_TYPE", type: "command" }]);
    expect(othersLoaded).toBe(true);
  });

  test("that is missing is reported at the place of its hook", async () => {
    const text = configText.handler('{ "type": "command"  }');
    const { broken, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      { code: "HOOK_CONFIG_TYPE", place: { ...placeOf('{ "type": "command"  }', text) } },
    ]);
    expect(broken).toMatchObject([{ event: "PreToolUse", matcher: "Bash", type: "command" }]);
  });

  test("is reported with every other problem of its hook, and leaves one broken rule", async () => {
    const text = configText.handler('{ "type": "command", "command": 7, "timeout": "5", "async": 1 }');
    const { broken, problems } = await outcomeOf(format, text);
    expect(problems.map(({ place }) => place?.pointer?.split("/").at(-1))).toEqual(["timeout", "command", "async"]);
    expect(broken).toHaveLength(1);
  });
});

describe.each(FORMATS)("in a %s file", (format) => {
  test.each(["{}", '{"hooks": {}}', '{"hooks": {"PreToolUse": []}}', '{"hooks": {"PreToolUse": [{"hooks": []}]}}'])(
    "an empty configuration is no problem: %s",
    async (text) => {
      expect(await parse(format, text)).toEqual({ rules: [], problems: [] });
    },
  );

  test("a broken rule denies, is enforced, and keeps the layer and folder of its file", async () => {
    const { rules } = await parse(format, '{"hooks": 1}', { layer: "user", baseDir: "/home/ada" });
    expect(rules).toMatchObject([
      { mode: "enforce", may: ["deny"], async: false, onFailure: undefined, layer: "user", baseDir: "/home/ada" },
    ]);
    expect(rules[0]?.codec.dialect).toBe(format);
  });

  test("a broken rule is named after its place, or by its entry", async () => {
    const text = configText.handler('{ "type": "command", "command": 7 }');
    const { rules } = await parse(format, text);
    expect(rules.find(({ handler }) => handler.type === "broken")?.name).toContain("/hooks/PreToolUse/0/hooks/1");
    const named = await parse(format, text.replace(": 7", ': 7, "name": "my guard"'));
    expect(named.rules.find(({ handler }) => handler.type === "broken")?.name).toBe("my guard");
  });

  test("a key named like a method of every object is an ordinary key", async () => {
    const text = '{"hooks": {"__proto__": [], "constructor": [], "PreToolUse": [{"hooks": [{"type": "toString"}]}]}}';
    const { rules, problems } = await parse(format, text);
    expect(problems.map(({ code }) => code)).toEqual([
      "HOOK_CONFIG_UNKNOWN_EVENT",
      "HOOK_CONFIG_UNKNOWN_EVENT",
      "HOOK_CONFIG_HANDLER",
    ]);
    expect(rules.at(-1)).toMatchObject({ event: "PreToolUse", handler: { type: "broken", declaredType: "toString" } });
  });
});

test.each(FORMATS)(
  "an empty list of arguments makes a different hook, without a shell, in a %s file",
  async (format) => {
    const hooks = [
      { type: "command", command: "true" },
      { type: "command", command: "true", args: [] },
    ];
    const { rules } = await parse(format, { hooks: { PreToolUse: [{ hooks }] } });
    expect(new Set(rules.map(({ identity }) => identity)).size).toBe(2);
  },
);
