import { describe, expect, onTestFinished, test } from "vitest";
import { readDocument } from "../../../src/config/document.ts";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import { agentaoFormat } from "../../../src/dialects/agentao/config-format.ts";
import { createEngine } from "../../../src/engine.ts";
import { compileMatcher } from "../../../src/matcher/tool-name.ts";
import { brokenIn, commandsIn, folderWith } from "../../config/config-files.ts";
import fc from "../../helpers/fc.ts";
import { EVENTS, parse } from "./agentao-hooks.ts";

const command = (text = "audit", more: object = {}) => ({ type: "command", command: text, ...more });

describe("a matcher that is written as a list or as an expression without ^ and $", () => {
  test.each([
    "Read|Write",
    "Read, Write",
    "Bash|mcp__*",
    "^Bash",
    "^B",
    "ash$",
    "(Bash|Write)",
    "[Bb]ash",
    "mcp__\\w+",
    "mcp__.+",
  ])("%s matches no tool, so its rule is broken and its gate stays shut", async (pattern) => {
    for (const event of ["PreToolUse", "PostToolUse"]) {
      const { rules, problems } = await parse({ [event]: command("a", { matcher: { tool_name: pattern } }) });
      expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_MATCHER" }]);
      expect(problems[0]?.hint).toContain("^(");
      expect(rules.map(({ handler, matcher }) => [handler.type, matcher])).toEqual([["broken", undefined]]);
    }
  });

  test.each([".*", "Bash.*", "run_.*", "mcp__.*"])(
    "%s is reported with a warning, because a name may contain a dot",
    async (pattern) => {
      const { rules, problems } = await parse({ PreToolUse: command("a", { matcher: { tool_name: pattern } }) });
      expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
      expect(rules.map(({ handler }) => handler.type)).toEqual(["command"]);
    },
  );

  test.each(["^(Read|Write)$", "^[Bb]ash$", "^.*$", "mcp__*", "Ba?h", "mcp__db.v2__*"])(
    "%s is neither",
    async (pattern) => {
      const { problems } = await parse({ PreToolUse: command("a", { matcher: { tool_name: pattern } }) });
      expect(problems).toEqual([]);
    },
  );
});

test("a file that is not an object shuts the gates", async () => {
  for (const text of ["[]", '"hooks"', "7", "null"]) {
    const cwd = folderWith({ "hooks.json": text });
    const engine = await createEngine({
      configFiles: [{ file: "hooks.json", dialect: "agentao" }],
      cwd,
      dialect: "agentao",
    });
    onTestFinished(() => engine.close());
    expect((await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} })).decision).toBe("deny");
  }
});

describe("the shape of a file", () => {
  test.each([
    ["in a wrapper", { hooks: { PreToolUse: [command()] } }],
    ["bare", { PreToolUse: [command()] }],
    ["as one object in place of a list", { PreToolUse: command() }],
    ["in Claude's groups", { hooks: { PreToolUse: [{ hooks: [command()] }] } }],
    ["in a manifest's list", { name: "plugin", hooks: [{ PreToolUse: [command()] }] }],
    ["in a manifest's list, with wrappers of their own", { hooks: [{ hooks: { PreToolUse: command() } }] }],
  ])("AG-P1: has its events %s", async (_, config) => {
    const { rules, problems } = await parse(config);
    expect([rules.map(({ event }) => event), commandsIn(rules), problems]).toEqual([["PreToolUse"], ["audit"], []]);
  });

  test("may have several parts, which are read one after the other", async () => {
    const { rules } = await parse({ hooks: [{ Stop: command("a") }, { Stop: [command("b"), command("c")] }] });
    expect(commandsIn(rules)).toEqual(["a", "b", "c"]);
  });

  test("may be empty", async () => {
    for (const config of [{}, { hooks: {} }, { hooks: [] }])
      expect(await parse(config)).toEqual({ rules: [], problems: [] });
  });

  test("keeps the hooks next to unknown keys", async () => {
    const { rules, problems } = await parse({ hooks: {}, PreToolUse: [command()] });
    expect(brokenIn(rules)).toMatchObject([{ event: "PreToolUse" }]);
    expect(problems).toMatchObject([{ severity: "error", hint: expect.stringContaining('"hooks"') }]);
  });
});

test("AG-P4: a file that is malformed or missing is one problem, and shuts every gate", async () => {
  const cwd = folderWith({ "broken.json": '{ "hooks": {' });
  for (const [file, code] of [
    ["broken.json", "HOOK_CONFIG_SYNTAX"],
    ["missing.json", "HOOK_CONFIG_NOT_FOUND"],
  ] as const) {
    const engine = await createEngine({ configFiles: [{ file, dialect: "agentao" }], cwd, dialect: "agentao" });
    onTestFinished(() => engine.close());
    expect(engine.problems.map((problem) => problem.code)).toEqual([code]);
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
    expect(verdict.decision).toBe("deny");
  }
});

describe("a rule", () => {
  const one = async (fields: object, event = "PreToolUse") => {
    const { rules, problems } = await parse({ [event]: [fields] });
    return { rule: rules[0], problems, rules };
  };

  test.each<[unknown, number, number]>([
    [undefined, 60_000, 0],
    [120, 120_000, 0],
    ["30", 30_000, 0],
    [" 7 ", 7_000, 0],
    [2.9, 2_000, 0],
    [true, 1_000, 0],
    [0, 0, 1],
    [-3, 0, 1],
    ["x", 60_000, 1],
    ["1.5", 60_000, 1],
    [null, 60_000, 1],
    [[1], 60_000, 1],
  ])("AG-P5: with the timeout %j has %i ms, and %i warnings", async (timeout, timeoutMs, warnings) => {
    const { rule, problems } = await one(command("a", timeout === undefined ? {} : { timeout }));
    expect(rule).toMatchObject({ timeoutMs, handler: { type: "command" } });
    expect(problems.map(({ severity }) => severity)).toEqual(Array(warnings).fill("warning"));
  });

  test.each(["http", "agent"])("AG-P2: of type %s is not supported, and shuts its gate", async (type) => {
    const { rules, problems } = await one({ type, url: "https://hooks.example" });
    expect(brokenIn(rules)).toEqual([
      { event: "PreToolUse", matcher: undefined, code: "HOOK_CONFIG_UNSUPPORTED", type },
    ]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(`"${type}" is not supported`);
    const observer = await one({ type }, "PostToolUse");
    expect([observer.rules, observer.problems.length, observer.problems[0]?.severity]).toEqual([[], 1, "warning"]);
  });

  test("AG-P3: of an unknown type or event is reported", async () => {
    for (const type of ["alien_type", "constructor", 3]) {
      expect((await one({ type })).problems[0]?.message).toContain(`unknown hook type ${JSON.stringify(type)}`);
      expect((await one({ type }, "Stop")).rules).toEqual([]);
    }
    const { rules, problems } = await parse({ UnknownEvent: [command()] });
    expect([rules, problems.length, problems[0]?.message]).toEqual([[], 1, 'unknown event "UnknownEvent"']);
  });

  test.each(EVENTS.filter((event) => event !== "UserPromptSubmit"))(
    "AG-P6: of type prompt is skipped at %s with a warning that says what is allowed",
    async (event) => {
      const { rules, problems } = await one({ type: "prompt", prompt: "Be kind." }, event);
      expect(rules).toEqual([]);
      expect(problems).toMatchObject([{ severity: "warning", hint: "allowed for this event: command" }]);
      expect(problems[0]?.message).toContain(`not supported for event ${event}`);
    },
  );

  test("of type prompt adds its text to the user's prompt", async () => {
    const { rule } = await one({ type: "prompt", prompt: "About {userMessage}." }, "UserPromptSubmit");
    expect(rule).toMatchObject({
      name: "prompt_hook",
      handler: { type: "context", text: "About {userMessage}.", fillsUserMessage: true },
    });
  });

  test.each([{ type: "prompt" }, { type: "prompt", prompt: null }, { type: "prompt", prompt: "" }])(
    "without a text to add does nothing: %j",
    async (rule) => {
      const { rules, problems } = await one(rule, "UserPromptSubmit");
      expect([rules, problems.map(({ severity }) => severity)]).toEqual([[], ["warning"]]);
    },
  );

  test("AG-P7: with a matcher that is not an object is broken, and never matches everything", async () => {
    for (const matcher of ["auto", ["auto"], 3]) {
      for (const event of ["PreToolUse", "PreCompact"]) {
        const { rules, problems } = await one(command("a", { matcher }), event);
        expect(brokenIn(rules)).toMatchObject([{ event }]);
        expect(problems).toMatchObject([{ severity: "error", message: expect.stringContaining("non-object matcher") }]);
      }
    }
  });

  test("AG-P8: that is invalid does not affect the others", async () => {
    const { rules, problems } = await parse({ PreToolUse: [command("a"), { type: "alien" }, command("b")] });
    expect([commandsIn(rules), brokenIn(rules).length, problems.length]).toEqual([["a", "b"], 1, 1]);
  });

  test("that occurs twice runs twice, as in the agent", async () => {
    const { rules } = await parse({ Stop: [command(), command()] });
    expect(rules.map(({ identity }) => identity)).toEqual([undefined, undefined]);
  });
});

describe("a matcher", () => {
  const matched = async (event: string, matcher: unknown) => {
    const { rules, problems } = await parse({ [event]: [command("a", { matcher })] });
    return { matcher: rules[0]?.matcher, broken: brokenIn(rules), problems };
  };

  test.each([null, {}])("of %j matches everything", async (matcher) => {
    expect(await matched("PreToolUse", matcher)).toMatchObject({ matcher: undefined, broken: [], problems: [] });
  });

  test.each(["tool_name", "toolName"])("has its pattern under %s", async (key) => {
    for (const pattern of ["Bash", "run_shell_command", "mcp__*", "^(Read|Write)$", "Ba?h"])
      expect(await matched("PreToolUse", { [key]: pattern })).toMatchObject({ matcher: pattern, problems: [] });
  });

  test.each<[string, unknown]>([
    ["PreToolUse", { tool: "Bash" }],
    ["PreToolUse", { tool_name: "Bash", foo: 1 }],
    ["PreToolUse", { trigger: "auto" }],
    ["PreToolUse", { tool_name: "Bash", toolName: "Edit" }],
    ["PreToolUse", { tool_name: ["Bash"] }],
    ["PreToolUse", { tool_name: "" }],
    ["PreToolUse", { tool_name: "^(Bash$" }],
    ["PreToolUse", { tool_name: "^(?=Bash)$" }],
    ["PreCompact", { tool_name: "Bash" }],
    ["PreCompact", { trigger: 42 }],
    ["PreCompact", { trigger: { a: 1 } }],
  ])("at %s of %j leaves a broken rule instead of one that matches too much", async (event, matcher) => {
    const { broken, problems } = await matched(event, matcher);
    expect([broken.length, problems.length, problems[0]?.severity]).toEqual([1, 1, "error"]);
  });

  test.each(["Stop", "UserPromptSubmit", "SessionStart"])("at %s tests nothing, which is reported", async (event) => {
    const { matcher, problems } = await matched(event, { tool_name: "Bash" });
    expect(matcher).toBeUndefined();
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
  });

  test.each<[string, boolean]>([
    ["manual", false],
    ["auto", true],
    ["manual|auto", true],
    [".*", true],
    ["*", true],
    ["au*", true],
    ["a?to", true],
    ["^auto$", true],
    ["aut", false],
    ["[unclosed", false],
  ])("AG-C1: at PreCompact of %j matches an automatic compaction: %s", async (pattern, fits) => {
    const { matcher, broken } = await matched("PreCompact", { trigger: pattern });
    expect(broken).toEqual([]);
    const compiled = compileMatcher(matcher, "anchored");
    if (!compiled.ok) throw new Error(compiled.message);
    const known = compiled.matcher;
    const seen = known.kind === "all" || (known.kind === "names" ? known.names.includes("auto") : known.test("auto"));
    expect(seen).toBe(fits);
  });
});

describe("a group in Claude Code's form", () => {
  const grouped = async (matcher: unknown, event = "PreToolUse") => {
    const { rules, problems } = await parse({ hooks: { [event]: [{ matcher, hooks: [command()] }] } });
    return { pattern: rules[0]?.matcher, problems, broken: brokenIn(rules) };
  };
  const fits = (pattern: string | undefined, name: string): boolean => {
    const compiled = compileMatcher(pattern, "glob");
    if (!compiled.ok) throw new Error(compiled.message);
    const { matcher } = compiled;
    return matcher.kind === "all" || (matcher.kind === "names" ? matcher.names.includes(name) : matcher.test(name));
  };

  test.each<[string, readonly string[], readonly string[]]>([
    ["", ["Bash", "Edit"], []],
    ["*", ["Bash", "Edit"], []],
    ["Bash", ["Bash"], ["BashOutput", "Edit"]],
    ["Edit|Write", ["Edit", "Write"], ["MultiEdit", "Bash"]],
    ["mcp__.*__write", ["mcp__files__write", "mcp__files__write_all"], ["mcp__files__read"]],
    ["^Notebook", ["NotebookEdit"], ["MyNotebook"]],
  ])("with the matcher %j matches %j, and not %j", async (matcher, yes, no) => {
    const { pattern, problems } = await grouped(matcher);
    expect(problems).toEqual([]);
    expect([...yes.filter((name) => !fits(pattern, name)), ...no.filter((name) => fits(pattern, name))]).toEqual([]);
  });

  test("may have an object as its matcher as well", async () => {
    expect(await grouped({ tool_name: "run_shell_command" })).toMatchObject({ pattern: "run_shell_command" });
  });

  test.each([
    { matcher: "(", hooks: [] },
    { matcher: "Bash", hooks: {} },
    { match: "Bash", hooks: [] },
    { hooks: ["audit"] },
    { hooks: [command("a", { if: "Bash(git *)" })] },
    { hooks: [command("a", { args: ["b"] })] },
    { hooks: [command("a", { matcher: { tool_name: "Bash" } })] },
  ])("that may match less than it seems to becomes a broken rule: %j", async (group) => {
    const { rules, problems } = await parse({ hooks: { PreToolUse: [group] } });
    expect([brokenIn(rules).length, problems.map(({ severity }) => severity)]).toEqual([1, ["error"]]);
  });

  test("keeps a hook with a setting that Agentao does not have, and reports the setting", async () => {
    const { rules, problems } = await parse({ PreToolUse: [{ hooks: [command("a", { async: true, timeot: 3 })] }] });
    expect(commandsIn(rules)).toEqual(["a"]);
    expect(problems).toMatchObject([{ severity: "warning" }, { severity: "warning", hint: 'did you mean "timeout"?' }]);
  });
});

/** Each with the reported place, `line:column`, and what its author is told to do. */
describe("a file with a mistake", () => {
  const around = (entry: string, event = "PreToolUse"): string => `{
  "hooks": {
    "${event}": [
      { "type": "command", "command": "before" },
      ${entry}
    ]
  }
}`;
  test.each<[string, string, string | undefined]>([
    [around('"audit"'), "5:7", undefined],
    [around('{ "type": "comand", "command": "a" }'), "5:17", 'did you mean "command"?'],
    [around('{ "command": "a" }'), "5:7", "known types: command, prompt"],
    [around('{ "type": "command" }'), "5:7", undefined],
    [around('{ "type": "command", "command": 3 }'), "5:39", undefined],
    [around('{ "type": "command", "command": "" }'), "5:39", undefined],
    [around('{ "type": "http", "url": "https://a.example" }'), "5:17", "known types: command, prompt"],
    [around('{ "type": "command", "command": "a", "matcher": "Bash" }'), "5:55", 'write it as { "tool_name": … }'],
    [
      around('{ "type": "command", "command": "a", "matcher": { "tool_nam": "Bash" } }'),
      "5:69",
      'did you mean "tool_name"?',
    ],
    [around('{ "type": "command", "command": "a", "if": "Bash(rm *)" }'), "5:44", undefined],
    [around('{ "matcher": "(", "hooks": [] }'), "5:20", undefined],
    [around("[]"), "5:7", undefined],
    [around('{ "type": "command", "command": "a" }', "PreToolUses"), "3:5", 'did you mean "PreToolUse"?'],
    ['{ "PreToolUse": 7 }', "1:17", undefined],
    ['{ "hooks": 7 }', "1:12", undefined],
    [
      '{ "hooks": "hooks.json" }',
      "1:12",
      "pass that file to hookbox, instead of the plugin's manifest or in addition to it",
    ],
    ['{ "hooks": {}, "PreToolUse": [] }', "1:16", 'move it into "hooks"'],
  ])("denies at the gate that it may have been meant for: %s", async (text, place, hint) => {
    const { rules, problems } = await parse(text);
    const broken = brokenIn(rules);
    expect(broken.map(({ event }) => event === "PreToolUse" || event === "*")).toEqual([true]);
    expect(problems.map(({ severity }) => severity)).toEqual(["error"]);
    const [problem] = problems;
    expect([`${problem?.place?.line}:${problem?.place?.column}`, problem?.hint]).toEqual([place, hint]);
  });
});

describe("any file", () => {
  const word = fc.constantFrom(
    ..."hooks type command prompt matcher tool_name toolName trigger timeout PreToolUse Stop PreCompact http if".split(
      " ",
    ),
    "UserPromptSubmit",
    "Bash",
    "",
    "^(",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small" }, word, fc.integer(), fc.constant(null), tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(word, tie("value"), { maxKeys: 4 }),
  }));

  test("is read without a throw, and any value at a gate leaves a rule there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(word, value, { maxKeys: 4 }), value, async (config, entry) => {
        await parse(config);
        // Everything except a text, or nothing, leaves a rule: a working or a broken one.
        const { rules } = await parse({ PreToolUse: [entry, command("guard")] });
        expect(commandsIn(rules)).toContain("guard");
        const isGroup = typeof entry === "object" && entry !== null && "hooks" in entry;
        const isPrompt = typeof entry === "object" && entry !== null && (entry as { type?: unknown }).type === "prompt";
        if (!isGroup && !isPrompt) expect(rules.length).toBe(2);
      }),
      { numRuns: 300 },
    );
  });

  test("is read without a throw as text", async () => {
    const text = JSON.stringify({ hooks: { PreToolUse: [command("a", { matcher: { tool_name: "Bash" } })] } });
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), fc.nat(6), fc.string({ maxLength: 4 }), async (at, cut, put) => {
        const read = await readDocument(text.slice(0, at) + put + text.slice(at + cut), "hooks.json");
        if (!read.ok) return;
        const context = { layer: "project", baseDir: "/base", defaults: BUILTIN_DEFAULTS } as const;
        agentaoFormat.parseRules(read.document, context);
      }),
      { numRuns: 300 },
    );
  });
});
