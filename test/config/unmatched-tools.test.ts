import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { Problem } from "../../src/errors.ts";
import { folderWith, lineAndColumn, whereIs } from "./config-files.ts";

const DENY = { type: "command", command: "exit 2" };

async function problemsOf(value: unknown, dialect = "hookbox", file = "rules.json"): Promise<readonly Problem[]> {
  const folder = folderWith({ [file]: typeof value === "string" ? value : JSON.stringify(value) });
  const { problems } = await loadConfig([{ file, layer: "user", dialect }], [], folder);
  return problems;
}

const withMatcher = (matcher: string, event = "PreToolUse") => ({ hooks: { [event]: [{ matcher, hooks: [DENY] }] } });
const withIf = (condition: string) => ({ hooks: { PreToolUse: [{ hooks: [{ ...DENY, if: condition }] }] } });
const meant = (problems: readonly Problem[]): readonly (readonly [string, string])[] =>
  problems.map(({ severity, code, message, hint = "" }) => {
    expect({ severity, code }).toEqual({ severity: "warning", code: "HOOK_CONFIG_UNKNOWN_TOOL" });
    return [/names "([^"]*)"/.exec(message)?.[1] ?? "", /(?:mean|write) "([^"]*)"/.exec(hint)?.[1] ?? ""] as const;
  });

describe("check warns of a tool name that no tool has", () => {
  test.each([
    ["bash", "bash", "Bash"],
    ["Bsh", "Bsh", "Bash"],
    ["BASH", "BASH", "Bash"],
    ["Shell", "Shell", "Bash"],
    ["exec", "exec", "Bash"],
    ["shell", "shell", "Bash"],
    ["run_shell_command", "run_shell_command", "Bash"],
    ["Wirte", "Wirte", "Write"],
    ["Bash|Wrte|Edit", "Wrte", "Write"],
    ["webfetch", "webfetch", "WebFetch"],
    ["^bash$", "bash", "Bash"],
    ["^(Bash|Wrte)$", "Wrte", "Write"],
    ["^(?:Edit|Wrte)", "Wrte", "Write"],
    ["bash.*", "bash", "Bash"],
  ])("in the matcher %s", async (matcher, written, name) => {
    expect(meant(await problemsOf(withMatcher(matcher)))).toEqual([[written, name]]);
    expect(meant(await problemsOf(withMatcher(matcher), "claude-code"))).toEqual([[written, name]]);
  });

  test.each([
    ["bash(rm *)", "bash", "Bash"],
    ["Bsh(rm *)", "Bsh", "Bash"],
    ["shell(rm *)", "shell", "Bash"],
    ["webfetch(domain:example.com)", "webfetch", "WebFetch"],
  ])("in the condition %s", async (condition, written, name) => {
    expect(meant(await problemsOf(withIf(condition)))).toEqual([[written, name]]);
  });

  test("in a filter", async () => {
    const hook = { ...DENY, filter: { tools: ["Write", "edit"] } };
    expect(meant(await problemsOf({ hooks: { PostToolUse: [{ hooks: [hook] }] } }))).toEqual([["edit", "Edit"]]);
  });

  test("in files of other agents, with the name that the agent itself knows", async () => {
    const yaml = (matcher: string) =>
      `agents:\n  root:\n    model: m\n    hooks:\n      pre_tool_use:\n        - matcher: "${matcher}"\n          hooks: [{type: command, command: "exit 2"}]\n`;
    expect(meant(await problemsOf(yaml("shel"), "docker-agent", "a.yaml"))).toEqual([["shel", "shell"]]);
    expect(meant(await problemsOf(yaml("exec|read_file"), "docker-agent", "a.yaml"))).toEqual([["exec", "shell"]]);
    expect(meant(await problemsOf(yaml("shell|read_file"), "docker-agent", "a.yaml"))).toEqual([]);
  });

  test("once for all rules of a group, at the matcher", async () => {
    const text = JSON.stringify(
      { hooks: { PreToolUse: [{ matcher: "bash", hooks: [DENY, { ...DENY, command: "b" }] }] } },
      null,
      2,
    );
    const problems = await problemsOf(text);
    expect(problems.map(({ place }) => place && lineAndColumn(place))).toEqual([whereIs('"bash"', text)]);
  });

  test("in rules from code as well", async () => {
    const source = { name: "config", value: withMatcher("Bsh"), layer: "session" as const, baseDir: "/" };
    const { problems } = await loadConfig([], [source], "/");
    expect(meant(problems)).toEqual([["Bsh", "Bash"]]);
  });
});

describe("check warns of a matcher in another form", () => {
  test.each([
    ["Bash(rm *)", 'write "matcher": "Bash", and "if": "Bash(rm *)" in the hook'],
    ["bash(git push:*)", 'write "matcher": "Bash", and "if": "Bash(git push:*)" in the hook'],
    ["Shell(rm *)", 'write "matcher": "Bash", and "if": "Bash(rm *)" in the hook'],
    ["Edit|Bash(rm *)", 'write "matcher": "Bash", and "if": "Bash(rm *)" in the hook'],
    [
      "WebFetch(domain:example.com)",
      'write "matcher": "WebFetch", and "if": "WebFetch(domain:example.com)" in the hook',
    ],
    ["/bash/i", 'write "(?i)bash"'],
    ["/^Bash$/", 'write "^Bash$"'],
    ["/Edit|Write/g", 'write "Edit|Write"'],
  ])("%s", async (matcher, hint) => {
    for (const dialect of ["hookbox", "claude-code"]) {
      const text = JSON.stringify(withMatcher(matcher), null, 2);
      const problems = await problemsOf(text, dialect);
      expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_MATCHER", hint }]);
      expect(problems.map(({ place }) => place && lineAndColumn(place))).toEqual([
        whereIs(JSON.stringify(matcher), text),
      ]);
    }
  });

  test.each([
    ["Edit(src/**)", '"if": "Edit(src/**)"'],
    ["Bash(*)", 'write "matcher": "Bash"'],
  ])("%s, which is not a pattern", async (matcher, hint) => {
    expect(await problemsOf(withMatcher(matcher))).toMatchObject([
      { severity: "error", code: "HOOK_CONFIG_MATCHER", hint: expect.stringContaining(hint) },
    ]);
  });

  test("in the file of an agent without conditions", async () => {
    const yaml = `agents:\n  root:\n    model: m\n    hooks:\n      pre_tool_use:\n        - matcher: "shell(rm .*)"\n          hooks: [{type: command, command: "exit 2"}]\n`;
    expect(await problemsOf(yaml, "docker-agent", "a.yaml")).toMatchObject([
      {
        code: "HOOK_CONFIG_MATCHER",
        hint: 'write "shell": a matcher tests the name of a tool, and not its input',
      },
    ]);
  });
});

describe("check does not warn of", () => {
  test.each([
    ...["*", "", "Bash", "Bash|Write|Edit", "Notebook.*", "Edit|Write|NotebookEdit", "^Bash$", "Web.*", ".*"],
    // Users' own tools, and those of MCP servers.
    ...["Deploy", "mcp__memory__.*", "mcp__files__write", "mcp__.*", ".*write.*", "query_database", "probe__poke"],
    ...["Task(Create|Update)", "Notebook(Edit|Read)", "Bash(Output)?", "(Bash|Edit)", "Deploy(x)", "mcp__a__(b|c)"],
    // A list for several agents.
    ...["Bash|run_shell_command|shell", "(?i)bash", "^(Bash|shell)$", "Edit|edit|Skill|skill", "Read|view_image"],
  ])("the matcher %j", async (matcher) => {
    expect(await problemsOf(withMatcher(matcher))).toEqual([]);
  });

  test.each(["Bash(rm *)", "mcp__server", "Deploy(x)", "Web*", "Edit(src/**)"])(
    "the condition %s",
    async (condition) => {
      expect(await problemsOf(withIf(condition))).toEqual([]);
    },
  );

  test("a matcher of an event without a tool", async () => {
    expect(await problemsOf(withMatcher("bash", "SessionStart"))).toEqual([]);
    expect(await problemsOf(withMatcher("exec", "Notification"))).toEqual([]);
  });
});
