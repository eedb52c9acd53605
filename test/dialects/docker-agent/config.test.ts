import { describe, expect, test } from "vitest";
import { planSpawn } from "../../../src/executors/command/spawn-form.ts";
import { compileMatcher, matches } from "../../../src/matcher/tool-name.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";
import { brokenIn, commandsIn } from "../../config/config-files.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { parse } from "./docker-hooks.ts";

const command = (text: string) => `{ type: command, command: ${text} }`;

describe("hooks", () => {
  test("are under the agent called root, and at the top of a file, in that order", async () => {
    const { rules, problems } = await parse(`
agents:
  root: { hooks: { stop: [${command("a")}] } }
  other: {}
hooks: { stop: [${command("b")}] }
`);
    expect([commandsIn(rules), problems]).toEqual([["a", "b"], []]);
  });

  test("of the only agent are read, whatever its name", async () => {
    const { rules } = await parse(`agents: { helper: { hooks: { stop: ${command("a")} } } }`);
    expect(commandsIn(rules)).toEqual(["a"]);
  });

  test("of several agents are read, each for its own events, and the first one's for events that name no agent", async () => {
    const { rules, problems } = await parse(`
agents:
  root: { hooks: { stop: ${command("a")} } }
  other: { hooks: { stop: ${command("b")} } }
hooks: { stop: ${command("c")} }
`);
    expect(problems).toEqual([]);
    const own = rules.filter(({ implied }) => implied !== true);
    expect(own.map((rule) => [...commandsIn([rule]), rule.agent])).toEqual([
      ["a", { name: "root", isDefault: true }],
      ["b", { name: "other", isDefault: false }],
      ["c", undefined],
    ]);
  });

  test("of an unknown agent let nothing pass until the user says whose they are", async () => {
    const { rules, problems } = await parse(`
agents:
  one: { hooks: { tool_guard: { hooks: ${command("a")} } } }
  two: {}
`);
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
    expect(rules.find(({ event }) => event === "*")).toMatchObject({ agent: { name: "", isDefault: true } });
    expect(problems).toMatchObject([{ severity: "error", message: expect.stringContaining("root") }]);
  });

  test("need no list for a single hook, at either level", async () => {
    const { rules, problems } = await parse(`
hooks:
  pre_tool_use:
    matcher: shell
    hooks: ${command("a")}
  session_start: ${command("b")}
  stop:
    - ${command("c")}
    - ${command("d")}
`);
    expect(rules.map(({ event, matcher }) => [event, matcher])).toEqual([
      ["PreToolUse", "shell"],
      ["SessionStart", undefined],
      ["Stop", undefined],
      ["Stop", undefined],
    ]);
    expect([commandsIn(rules), problems]).toEqual([["a", "b", "c", "d"], []]);
  });
});

describe("a hook", () => {
  const one = async (fields: string, event = "tool_input_transform") => {
    const inner = `{ type: command, command: run, ${fields} }`;
    const { rules, problems } = await parse(`hooks: { ${event}: ${event === "stop" ? inner : `{ hooks: ${inner} }`} }`);
    return { rule: rules[0]!, problems };
  };

  test.each([
    ["", 60_000],
    ["timeout: 0", 60_000],
    ["timeout: -1", 60_000],
    ["timeout: 30", 30_000],
  ])("with %j has this long: %i ms", async (fields, timeoutMs) => {
    expect((await one(fields)).rule.timeoutMs).toBe(timeoutMs);
  });

  test.each([
    ["", undefined],
    ["on_error: warn", "continue"],
    ["on_error: ignore", "ignore"],
    ["on_error: block", "block"],
  ])("with %j does this on a failure: %s", async (fields, onFailure) => {
    expect((await one(fields)).rule.onFailure).toBe(onFailure);
  });

  test("cannot block at an event where nothing can be blocked", async () => {
    const { rule, problems } = await one("on_error: block", "stop");
    expect(rule.handler.type).toBe("broken");
    expect(problems).toMatchObject([{ severity: "error", message: "on_error: block, but stop has nothing to block" }]);
  });

  test("has its name, folder and strictness", async () => {
    const { rule } = await one("name: n, working_dir: ./hooks, strict_output: true, model:");
    expect(rule).toMatchObject({ name: "n", strict: true, handler: { workingDir: "./hooks" } });
  });

  test("keeps its variables as they are written until it is started", async () => {
    const { rule } = await one('env: { A: "x-${env.HOME}-$HOME-${HOME}" }');
    expect(rule.handler).toMatchObject({ env: { A: "x-${env.HOME}-$HOME-${HOME}" } });
    const plan = (home: string) =>
      planSpawn(rule, rule.handler as HandlerOf<"command">, makeEvent("ToolInputTransform", {}, "docker-agent"), {
        HOME: home,
        PATH: process.env["PATH"],
      });
    for (const home of ["/one", "/two"])
      expect(plan(home)).toMatchObject({ ok: true, form: { env: { A: `x-${home}-$HOME-\${HOME}` } } });
  });

  test("gets no key of a model's provider if it may come with a repository", async () => {
    const { rule } = await one('env: { A: "${env.ANTHROPIC_API_KEY}", B: "${env.OTHER}" }');
    const parent = { ANTHROPIC_API_KEY: "key", OTHER: "other", PATH: process.env["PATH"] };
    const event = makeEvent("ToolInputTransform", {}, "docker-agent");
    const envOf = (layer: Rule["layer"]) =>
      planSpawn({ ...rule, layer }, rule.handler as HandlerOf<"command">, event, parent);
    expect(envOf("project")).toMatchObject({ ok: true, form: { env: { A: "", B: "other" } } });
    expect(envOf("user")).toMatchObject({ ok: true, form: { env: { A: "key", B: "other" } } });
  });

  test("of an unknown type is reported by name, and shuts its gate", async () => {
    const { rules, problems } = await parse(
      "hooks: { pre_tool_use: { matcher: shell, hooks: { type: evaluator, command: a } } }",
    );
    expect(brokenIn(rules)).toEqual([
      { event: "PreToolUse", matcher: "shell", code: "HOOK_CONFIG_UNSUPPORTED", type: "evaluator" },
    ]);
    expect(problems).toMatchObject([
      {
        severity: "error",
        message: expect.stringContaining('"evaluator"'),
        hint: "known types: command, builtin, model",
      },
    ]);
  });

  test.each([
    "timeout: 1.5",
    'timeout: "30"',
    "on_error: stop",
    "args: x",
    "env: [a]",
    'env: { "A=B": x }',
    "strict_output: 1",
  ])("with the wrong fields is broken: %s", async (fields) => {
    const { rule, problems } = await one(fields);
    expect(rule.handler.type).toBe("broken");
    expect(problems.some(({ severity }) => severity === "error")).toBe(true);
  });

  test("with an unknown key still guards its gate", async () => {
    const { rule, problems } = await one("timeot: 3");
    expect(rule.handler.type).toBe("command");
    expect(problems).toMatchObject([{ severity: "warning", hint: 'did you mean "timeout"?' }]);
  });
});

describe("a group", () => {
  test.each([
    "matcher: '(', hooks: []",
    "matcher: 'a)|(b', hooks: []",
    "matcher: '(?=x)', hooks: []",
    "matcher: [shell], hooks: []",
    "match: shell, hooks: []",
    "preempt_yolo: maybe, hooks: []",
    "type: command, command: a",
  ])("that may match less than it seems to becomes a broken rule: %s", async (fields) => {
    const { rules, problems } = await parse(`hooks: { pre_tool_use: [{ ${fields} }] }`);
    expect(brokenIn(rules)).toMatchObject([{ event: "PreToolUse" }]);
    expect(problems).toMatchObject([{ severity: "error" }]);
  });

  test("is asked before the permissions at pre_tool_use, and at no other event", async () => {
    const group = `{ preempt_yolo: true, hooks: ${command("a")} }`;
    expect((await parse(`hooks: { pre_tool_use: ${group} }`)).rules).toMatchObject([{ lane: "preempt" }]);
    const other = await parse(`hooks: { tool_guard: ${group} }`);
    expect(brokenIn(other.rules)).toMatchObject([{ event: "ToolGuard" }]);
  });
});

describe("an event", () => {
  test("with a name close to a gate's leaves the gate shut", async () => {
    const { rules, problems } = await parse(`hooks: { pre_tool_uses: { hooks: ${command("a")} } }`);
    expect(brokenIn(rules)).toMatchObject([{ event: "PreToolUse", code: "HOOK_CONFIG_UNKNOWN_EVENT" }]);
    expect(problems).toMatchObject([{ severity: "error", hint: 'did you mean "pre_tool_use"?' }]);
  });

  test("with an unknown name is a warning", async () => {
    const { rules, problems } = await parse(`hooks: { before_agent_run_xyzzy: ${command("a")} }`);
    expect([rules.length, problems[0]?.severity]).toEqual([0, "warning"]);
  });

  test.each(["hooks: [a]", "hooks: 7", "agents: [a]"])(
    "list that is not a mapping denies at every gate: %s",
    async (text) => {
      expect(brokenIn((await parse(text)).rules)).toMatchObject([{ event: "*" }]);
    },
  );
});

describe("a tool's name", () => {
  test.each([
    ["*", "shell", true],
    ["", "shell", true],
    ["shell", "shell", true],
    ["shell", "Shell", false],
    ["shell", "shells", false],
    ["shell|edit_file", "edit_file", true],
    ["shell|edit_file", "write_file", false],
    ["shell|edit_file", "my_edit_file", false],
    ["mcp__.*", "mcp__github_list_repos", true],
    ["mcp__.*", "x_mcp__y", false],
    ["a|b.*", "xa", false],
    ["a,b", "a", false],
    ["a,b", "a,b", true],
    ["(?i)shell", "SHELL", true],
  ])("and the matcher %j: %s %s", (matcher, name, does) => {
    const compiled = compileMatcher(matcher, "anchored");
    if (!compiled.ok) throw new Error(compiled.message);
    expect(matches(compiled.matcher, name)).toBe(does);
  });
});

describe("two hooks", () => {
  const identities = async (...hooks: string[]) => {
    const { rules } = await parse(`hooks: { stop: [${hooks.join(", ")}] }`);
    return new Set(rules.map(({ identity }) => identity)).size;
  };
  const hook = (fields: string) => `{ type: command, command: a, ${fields} }`;

  test.each([
    [hook(""), hook("args: [], env: {}")],
    [hook(""), hook("args:")],
    [hook("env: { A: x, B: y }"), hook("env: { B: y, A: x }")],
    ["{ command: a, type: command }", hook("")],
  ])("%s and %s are one", async (one, other) => {
    expect(await identities(one, other)).toBe(1);
  });

  test.each(
    [
      "name: n",
      "args: [a]",
      'args: [""]',
      "timeout: 60",
      "env: { A: x }",
      'env: { A: "" }',
      "working_dir: d",
      "on_error: warn",
      "strict_output: true",
      "model: m",
      "prompt: p",
      "schema: s",
    ].map((field) => [field]),
  )("with another %s are two", async (field) => {
    expect(await identities(hook(""), hook(field))).toBe(2);
  });

  test("with another order of arguments, or other separations, are two", async () => {
    expect(await identities(hook("args: [a, b]"), hook("args: [b, a]"), hook('args: ["a,b"]'))).toBe(3);
  });

  test("in different lanes are two", async () => {
    const group = (lane: boolean) => `{ preempt_yolo: ${lane}, hooks: ${command("a")} }`;
    const { rules } = await parse(`hooks: { pre_tool_use: [${group(true)}, ${group(false)}] }`);
    expect(new Set(rules.map(({ identity }) => identity)).size).toBe(2);
  });
});
