import { describe, expect, test } from "vitest";
import { type ConfigFile, loadConfig } from "../../../src/config/load.ts";
import type { Rule } from "../../../src/rule.ts";
import { folderWith } from "../../config/config-files.ts";

/** What is wrong, the reported place, the hint, and which gate stays shut (`*`: all of them). */
interface Problem {
  readonly text: string;
  readonly code: string;
  readonly line: number;
  readonly hint?: RegExp;
  readonly gate: string;
}

const AGENT = "agents:\n  root:\n    hooks:\n";
const GROUP = `${AGENT}      pre_tool_use:\n        - matcher: shell\n`;

const MODEL = `${GROUP}          hooks:\n            - type: model\n`;

const FLAWS: Readonly<Record<string, Problem>> = {
  "a list that is not closed": { text: `${AGENT}      stop: [`, code: "HOOK_CONFIG_SYNTAX", line: 4, gate: "*" },
  "a tab for indentation": { text: "agents:\n\troot: {}\n", code: "HOOK_CONFIG_SYNTAX", line: 2, gate: "*" },
  "a key that stands twice": {
    text: `${AGENT}      stop: []\n      stop: []\n`,
    code: "HOOK_CONFIG_DUPLICATE_KEY",
    line: 5,
    hint: /merge/,
    gate: "*",
  },
  "two documents": { text: "hooks: {}\n---\nhooks: {}\n", code: "HOOK_CONFIG_SYNTAX", line: 2, gate: "*" },
  "no mapping": { text: "- hooks\n", code: "HOOK_CONFIG_TYPE", line: 1, gate: "*" },
  "agents in a list": { text: "agents:\n  - root\n", code: "HOOK_CONFIG_TYPE", line: 2, gate: "*" },
  "settings in a list": { text: "settings:\n  - snapshot\n", code: "HOOK_CONFIG_TYPE", line: 2, gate: "*" },
  "hooks in a list": { text: `${AGENT}      - stop\n`, code: "HOOK_CONFIG_TYPE", line: 4, gate: "*" },
  "a gate that is misspelt": {
    text: `${AGENT}      pre_tol_use: []\n`,
    code: "HOOK_CONFIG_UNKNOWN_EVENT",
    line: 4,
    hint: /"pre_tool_use"/,
    gate: "PreToolUse",
  },
  "a matcher that is no pattern": {
    text: `${AGENT}      pre_tool_use:\n        - matcher: "shell("\n          hooks: []\n`,
    code: "HOOK_CONFIG_MATCHER",
    line: 5,
    gate: "PreToolUse",
  },
  "a matcher in a list": {
    text: `${AGENT}      tool_guard:\n        - matcher: [shell]\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 5,
    gate: "ToolGuard",
  },
  "an unknown key of a group": {
    text: `${GROUP}          preempt_yol: true\n`,
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    line: 6,
    hint: /"preempt_yolo"/,
    gate: "PreToolUse",
  },
  "a lane that is neither": {
    text: `${GROUP}          preempt_yolo: sometimes\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 6,
    gate: "PreToolUse",
  },
  "a hook that is a text": {
    text: `${GROUP}          hooks:\n            - ./check.sh\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 7,
    gate: "PreToolUse",
  },
  "a hook without a type": {
    text: `${GROUP}          hooks:\n            - command: ./check.sh\n`,
    code: "HOOK_CONFIG_HANDLER",
    line: 7,
    hint: /command/,
    gate: "PreToolUse",
  },
  "a type that is misspelt": {
    text: `${GROUP}          hooks:\n            - type: comand\n`,
    code: "HOOK_CONFIG_UNSUPPORTED",
    line: 7,
    hint: /"command"/,
    gate: "PreToolUse",
  },
  "a built-in that is misspelt": {
    text: `${GROUP}          hooks:\n            - type: builtin\n              command: safer_shel\n`,
    code: "HOOK_BUILTIN",
    line: 8,
    hint: /"safer_shell"/,
    gate: "PreToolUse",
  },
  "a built-in without what it needs": {
    text: `${AGENT}      before_llm_call:\n        - type: builtin\n          command: max_iterations\n`,
    code: "HOOK_BUILTIN",
    line: 6,
    gate: "BeforeModelCall",
  },
  "a built-in whose text names what no event has": {
    text: `${AGENT}      user_prompt_submit:\n        - type: builtin\n          command: add_context\n          args:\n            - "{{ .Cwd }}"\n            - "{{ .Prmpt }}"\n`,
    code: "HOOK_PROMPT_TEMPLATE",
    line: 9,
    gate: "UserPromptSubmit",
  },
  "a model that is not asked anything": {
    text: `${MODEL}`,
    code: "HOOK_CONFIG_TYPE",
    line: 7,
    gate: "PreToolUse",
  },
  "a model of no provider": {
    text: `${MODEL}              model: gpt\n              prompt: x\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 8,
    gate: "PreToolUse",
  },
  "a model of a provider that nobody knows": {
    text: `${MODEL}              model: opneai/gpt-4o-mini\n              prompt: x\n`,
    code: "HOOK_MODEL_PROVIDER",
    line: 7,
    hint: /providers: .*openai/,
    gate: "PreToolUse",
  },
  "a prompt that is no template": {
    text: `${MODEL}              model: openai/gpt-4o-mini\n              prompt: "{{ .ToolName"\n`,
    code: "HOOK_PROMPT_TEMPLATE",
    line: 9,
    gate: "PreToolUse",
  },
  "a prompt with a field that no event has": {
    text: `${MODEL}              model: openai/gpt-4o-mini\n              prompt: "{{ .ToolNmae }}"\n`,
    code: "HOOK_PROMPT_TEMPLATE",
    line: 9,
    gate: "PreToolUse",
  },
  "a schema that is misspelt": {
    text: `${MODEL}              model: openai/gpt-4o-mini\n              prompt: x\n              schema: pre_tool_use_decison\n`,
    code: "HOOK_CONFIG_HANDLER",
    line: 10,
    hint: /"pre_tool_use_decision"/,
    gate: "PreToolUse",
  },
  "a command that is empty": {
    text: `${GROUP}          hooks:\n            - { type: command, command: "" }\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 7,
    gate: "PreToolUse",
  },
  "a timeout with a unit": {
    text: `${GROUP}          hooks:\n            - type: command\n              command: ./check.sh\n              timeout: 5s\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 9,
    hint: /seconds/,
    gate: "PreToolUse",
  },
  "a word for failures that nobody knows": {
    text: `${GROUP}          hooks:\n            - type: command\n              command: a\n              on_error: blok\n`,
    code: "HOOK_CONFIG_TYPE",
    line: 9,
    gate: "PreToolUse",
  },
  "an event beside its hooks": {
    text: "agents:\n  root:\n    hooks:\n    pre_tool_use: []\n",
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    line: 4,
    hint: /move it into "hooks:"/,
    gate: "PreToolUse",
  },
  "hooks that are misspelt": {
    text: "agents:\n  root:\n    hook:\n      pre_tool_use: []\n",
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    line: 3,
    hint: /"hooks"/,
    gate: "*",
  },
  "an agent that is a list": {
    text: "agents:\n  root:\n    - hooks: {}\n",
    code: "HOOK_CONFIG_TYPE",
    line: 3,
    gate: "*",
  },
  "hooks at a gate, of agents of which none is meant": {
    text: "agents:\n  one:\n    hooks: { tool_guard: { hooks: { type: command, command: a } } }\n  two: {}\n",
    code: "HOOK_CONFIG_TYPE",
    line: 2,
    hint: /--agent/,
    gate: "*",
  },
  "a flag that is a text": {
    text: "agents:\n  root:\n    redact_secrets: please\n",
    code: "HOOK_CONFIG_TYPE",
    line: 3,
    gate: "*",
  },
};

const brokenAt = (rules: readonly Rule[]) =>
  rules.filter(({ handler }) => handler.type === "broken").map(({ event }) => event);

/** The same text as the agent's own file, as one of its user's drop-ins, and as a file on the command line. */
const KINDS: Readonly<Record<string, (folder: string) => ConfigFile>> = {
  "an agent's file": () => ({ file: "agent.yaml", layer: "project", dialect: "docker-agent" }),
  "a drop-in": () => ({ file: "hooks.d/agent.yaml", layer: "user", dialect: "docker-agent" }),
};

describe.each(Object.entries(KINDS))("in %s", (_, file) => {
  test.each(Object.entries(FLAWS))("%s is reported with its line, and leaves its gate shut", async (_name, problem) => {
    const { mkdirSync, writeFileSync } = await import("node:fs");
    const folder = folderWith({ "agent.yaml": problem.text });
    mkdirSync(`${folder}/hooks.d`);
    writeFileSync(`${folder}/hooks.d/agent.yaml`, problem.text);
    const { rules, problems } = await loadConfig([file(folder)], [], folder);
    const error = problems.find(({ severity }) => severity === "error");
    expect(error).toMatchObject({ code: problem.code, place: { line: problem.line } });
    if (problem.hint !== undefined) expect(error?.hint).toMatch(problem.hint);
    expect(brokenAt(rules)).toEqual([problem.gate]);
  });
});

test.each(["blok", "constructor", "__proto__", "toString", 7, true, null])(
  "an unknown word for failures leaves a hook's failures to the gate: %j",
  async (word) => {
    const hook = { type: "builtin", command: "no_such_hook", on_error: word };
    const folder = folderWith({ "agent.yaml": JSON.stringify({ hooks: { user_prompt_submit: hook } }) });
    const { rules } = await loadConfig([KINDS["an agent's file"]!(folder)], [], folder);
    expect(rules).toMatchObject([{ handler: { type: "broken" } }]);
    expect(rules[0]?.onFailure).toBeUndefined();
  },
);

describe("agents of which none is chosen", () => {
  const load = (agents: string) => {
    const folder = folderWith({ "agent.yaml": `agents:\n${agents}` });
    return loadConfig([KINDS["an agent's file"]!(folder)], [], folder);
  };

  test("have no effect if they have no hook at a gate", async () => {
    const { rules, problems } = await load("  one:\n    add_date: true\n  two: {}\n");
    expect(problems).toEqual([]);
    expect(brokenAt(rules)).toEqual([]);
    expect(rules.every(({ agent }) => agent?.isDefault === false)).toBe(true);
  });

  test.each([
    "  one:\n    redact_secrets: true\n  two: {}\n",
    "  one: {}\n  two: { toolsets: [{ type: shell, safer: true }] }\n",
  ])("shut every gate if a setting asks for a guard: %j", async (agents) => {
    const { rules, problems } = await load(agents);
    expect(problems[0]).toMatchObject({ place: { line: 2 }, hint: expect.stringContaining("--agent") });
    expect(rules[0]).toMatchObject({ event: "*", handler: { type: "broken" }, agent: { name: "", isDefault: true } });
  });
});

test("a flag without a command is reported by its own name, and leaves its gate shut", async () => {
  const { HOOK_FLAGS } = await import("../../../src/dialects/docker-agent/hook-flags.ts");
  const text = JSON.stringify(HOOK_FLAGS["hook-pre-tool-use"]!(["true", ""]));
  const { rules, problems } = await loadConfig(
    [{ file: "--hook-pre-tool-use", text, layer: "command-line", dialect: "docker-agent" }],
    [],
    "/",
  );
  expect(problems).toMatchObject([{ severity: "error", place: { file: "--hook-pre-tool-use" } }]);
  expect(brokenAt(rules)).toEqual(["PreToolUse"]);
});
