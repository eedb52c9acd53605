import { describe, expect, test } from "vitest";
import { contractOf } from "../../../src/events/lookup.ts";
import { writtenIn } from "../../config/config-files.ts";
import { EVENTS } from "../../conformance/docker-hooks.ts";
import { parse } from "./docker-hooks.ts";

/** Hooks of docker-agent that are not commands. */

const GROUPED = /^(?:pre_tool_use|post_tool_use|permission_request|tool_.*)$/;
const at = (event: string, hook: string) => `hooks: { ${event}: ${GROUPED.test(event) ? `{ hooks: ${hook} }` : hook} }`;
const builtin = (event: string, fields: string, context = {}) =>
  parse(at(event, `{ type: builtin, ${fields} }`), context);
const model = (event: string, fields: string, context = {}) =>
  parse(at(event, `{ type: model, model: openai/gpt-4o-mini, ${fields} }`), context);

describe("a built-in hook", () => {
  test("has its arguments, variables and folder, and every field of hooks", async () => {
    const fields =
      'name: n, command: add_recent_commits, args: ["3"], env: { A: x }, working_dir: sub, timeout: 5, on_error: ignore, strict_output: true';
    const { rules, problems } = await builtin("session_start", fields, { layer: "user" });
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      { name: "n", event: "SessionStart", timeoutMs: 5_000, onFailure: "ignore", strict: true, async: false },
    ]);
    expect(rules[0]?.handler).toEqual({
      type: "builtin",
      name: "add_recent_commits",
      args: ["3"],
      env: { A: "x" },
      workingDir: "sub",
      network: "loopback",
    });
  });

  test("is named after its function, has a minute, and sends nothing to private networks from a project's file", async () => {
    const { rules } = await builtin("stop", "command: http_post, args: [https://a.example/, done]");
    expect(rules).toMatchObject([{ name: "http_post", timeoutMs: 60_000, handler: { network: "public" } }]);
  });

  test.each([
    ["turn_start", "command: add_user_info", "docker-agent itself uses it at session_start"],
    ["session_start", "command: add_date", "docker-agent itself uses it at turn_start"],
    ["stop", "command: add_date", "add_date does nothing at Stop"],
    ["turn_start", "command: max_iterations, args: ['5']", "max_iterations does nothing at TurnStart"],
    ["turn_start", "command: add_date, args: [x]", "takes 0 args, not 1"],
  ])("at %s with %s runs, and is reported as idle", async (event, fields, message) => {
    const { rules, problems } = await builtin(event, fields);
    expect(rules).toMatchObject([{ handler: { type: "builtin" } }]);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", message: expect.stringContaining(message) },
    ]);
  });

  test.each([
    ["add_prompt_files", ["--depth=x", "A.md"], ["A.md"], 'add_prompt_files ignores "--depth=x"'],
    ["add_prompt_files", ["--depth=", "A.md"], ["A.md"], 'ignores "--depth="'],
    ["add_prompt_files", ["--depth=-1", "A.md"], ["--depth=0", "A.md"], undefined],
    ["add_prompt_files", ["--depth=+2", "A.md"], ["--depth=2", "A.md"], undefined],
    ["add_prompt_files", ["--depth=40", "A.md"], ["--depth=40", "A.md"], undefined],
    ["add_git_diff", ["stat"], [], 'add_git_diff ignores "stat"'],
    ["add_recent_commits", ["many"], [], 'add_recent_commits ignores "many"'],
    ["add_recent_commits", ["0"], [], 'ignores "0"'],
    ["add_recent_commits", ["5000"], ["1000"], "1000 commits at most"],
  ])("%s with %j does what the agent does with these arguments", async (name, args, read, message) => {
    const { rules, problems } = await builtin(
      name === "add_recent_commits" ? "session_start" : "turn_start",
      `command: ${name}, args: ${JSON.stringify(args)}`,
    );
    expect(rules).toMatchObject([{ handler: { type: "builtin", name, args: read } }]);
    expect(problems).toMatchObject(
      message === undefined
        ? []
        : [{ severity: "warning", code: "HOOK_CONFIG_INERT", message: expect.stringContaining(message) }],
    );
  });

  test.each(["add_prompt_files", "add_prompt_files, args: []", "add_prompt_files, args: ['--depth=2']", "add_context"])(
    "that adds text and has no text to add does nothing, and is reported: %s",
    async (fields) => {
      const { rules, problems } = await builtin("turn_start", `command: ${fields}`);
      expect(rules).toEqual([]);
      expect(problems).toMatchObject([
        { severity: "warning", code: "HOOK_CONFIG_INERT", message: expect.stringContaining("does nothing") },
      ]);
    },
  );

  test("with a name that the agent does not have is a problem, which gives the name", async () => {
    const { rules, problems } = await builtin("turn_start", "command: add_dat");
    expect(rules).toMatchObject([{ name: "add_dat", handler: { type: "broken", declaredType: "builtin" } }]);
    expect(problems).toMatchObject([{ code: "HOOK_BUILTIN", hint: 'did you mean "add_date"?' }]);
    // The name of another agent's built-in.
    expect((await builtin("stop", "command: sound-alert")).problems).toMatchObject([{ code: "HOOK_BUILTIN" }]);
  });

  test("that judges is a guard, which denies in the lane without rewrites", async () => {
    const hooks = (name: string, lane: string) =>
      `hooks: { pre_tool_use: { ${lane} hooks: { type: builtin, command: ${name} } } }`;
    const preempt = "preempt_yolo: true,";
    const guards = async (name: string, lane: string) => {
      const { rules, problems } = await parse(hooks(name, lane));
      expect(problems).toEqual([]);
      return rules;
    };
    expect(await guards("safer_shell", preempt)).toMatchObject([
      {
        name: "safer_shell",
        lane: "preempt",
        handler: { module: "builtin:shell-guard", config: { mode: "balanced" } },
      },
    ]);
    expect(await guards("redact_secrets", "")).toMatchObject([{ handler: { config: { redact: true } } }]);
    expect((await guards("redact_secrets", preempt))[0]?.handler).toMatchObject({
      module: "builtin:secret-guard",
      config: {},
    });
  });

  test("that judges is no rule at an event where the agent's hook does nothing", async () => {
    const { rules, problems } = await builtin("turn_start", "command: redact_secrets");
    expect(writtenIn(rules)).toEqual([]);
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
  });
});

describe("a hook of type model", () => {
  const DECIDES = "schema: pre_tool_use_decision";

  test("asks for a decision or for a text", async () => {
    const asked = {
      type: "model",
      model: "openai/gpt-4o-mini",
      prompt: "{{ .ToolName }}",
      template: "go",
      continueOnBlock: true,
      redacts: true,
      maxTokens: 1_024,
    };
    const judge = await model("pre_tool_use", `prompt: "{{ .ToolName }}", timeout: 15, ${DECIDES}`);
    expect(judge).toMatchObject({ problems: [], rules: [{ name: "openai/gpt-4o-mini", timeoutMs: 15_000 }] });
    expect(judge.rules[0]?.handler).toEqual({ ...asked, answer: "decision" });
    const adviser = await model("turn_start", 'prompt: "{{ .ToolName }}"');
    expect(adviser).toMatchObject({ problems: [], rules: [{ timeoutMs: 60_000 }] });
    expect(adviser.rules[0]?.handler).toEqual({ ...asked, answer: "text" });
  });

  test("sends what it sees unchanged if the page is followed to the letter", async () => {
    const { rules } = await model("pre_tool_use", `prompt: x, ${DECIDES}`, { compat: "faithful" });
    expect(rules[0]?.handler).toMatchObject({ redacts: false });
  });

  test.each([
    ["pre_tool_use", "prompt: x", "decides nothing", "schema: pre_tool_use_decision"],
    ["before_llm_call", "prompt: x", "decides nothing", "schema: pre_tool_use_decision"],
    ["stop", "prompt: x", "does not take", undefined],
    ["session_start", `prompt: x, ${DECIDES}`, "session_start has nothing to decide", undefined],
    ["turn_start", "prompt: x, args: [a]", "args has no effect", undefined],
    ["turn_start", "prompt: x, env: { A: b }", "env has no effect", undefined],
    ["turn_start", "prompt: x, working_dir: a", "working_dir has no effect", undefined],
  ])("at %s with %s runs, and is reported", async (event, fields, message, hint) => {
    const { rules, problems } = await model(event, fields);
    expect(rules).toMatchObject([{ handler: { type: "model" } }]);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", message: expect.stringContaining(message) },
    ]);
    expect(problems[0]?.hint).toBe(hint);
  });

  test("whose text is used is no problem at an event where it could refuse as well", async () => {
    expect((await model("user_prompt_submit", 'prompt: "{{ .Prompt }}"')).problems).toEqual([]);
  });

  test.each([
    ["prompt: x", "model"],
    ["model: openai/gpt-4o-mini", "prompt"],
    ["model: gpt, prompt: x", "provider/model"],
    ["model: a/b, prompt: ''", "prompt"],
    ["model: a/b, prompt: x, schema: pre_tool_use_decison", "schema"],
    ["model: a/b, prompt: '{{ .Nothing }}'", "Nothing"],
    ["model: a/b, prompt: '{{ if }}'", "template"],
  ])("with %s is invalid", async (fields, word) => {
    const { rules, problems } = await parse(`hooks: { pre_tool_use: { hooks: { type: model, ${fields} } } }`);
    expect(rules).toMatchObject([{ event: "PreToolUse", handler: { type: "broken", declaredType: "model" } }]);
    expect(problems[0]).toMatchObject({ severity: "error", message: expect.stringContaining(word) });
  });

  test("may block on an error at events where something can be blocked", async () => {
    expect(await model("before_llm_call", `prompt: x, on_error: block, ${DECIDES}`)).toMatchObject({
      problems: [],
      rules: [{ onFailure: "block" }],
    });
    const { problems } = await model("turn_start", "prompt: x, on_error: block");
    expect(problems).toMatchObject([{ severity: "error", message: expect.stringContaining("on_error") }]);
  });
});

test("every event allows all three types, as in the agent", () => {
  for (const name of Object.values(EVENTS)) {
    const types = contractOf(name, "docker-agent")?.handlers ?? [];
    expect([name, ["command", "model", "builtin"].filter((type) => !types.includes(type))]).toEqual([name, []]);
  }
});

describe("two hooks", () => {
  const identities = async (...hooks: string[]) => {
    const { rules } = await parse(`hooks: { turn_start: [${hooks.join(", ")}] }`);
    return new Set(rules.map(({ identity }) => identity)).size;
  };
  const added = (fields = "") => `{ type: builtin, command: add_git_diff, ${fields} }`;
  const asked = (fields = "") => `{ type: model, model: a/b, prompt: p, ${fields} }`;

  test.each([
    [added(), added("args: []")],
    [asked(), "{ prompt: p, model: a/b, type: model }"],
  ])("%s and %s are one", async (one, other) => expect(await identities(one, other)).toBe(1));

  test.each([
    [added(), added("args: [full]")],
    [added(), added("working_dir: /tmp")],
    [added(), added("env: { A: x }")],
    [added(), "{ type: command, command: add_git_diff }"],
    [asked(), asked("timeout: 60")],
    [asked(), asked("schema: pre_tool_use_decision")],
    [asked(), "{ type: model, model: a/c, prompt: p }"],
    [asked(), "{ type: model, model: a/b, prompt: q }"],
  ])("%s and %s are two", async (one, other) => expect(await identities(one, other)).toBe(2));
});
