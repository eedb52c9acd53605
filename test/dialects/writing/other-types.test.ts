import { describe, expect, test } from "vitest";
import { lossOfRule } from "../../../src/cli/convert/protection.ts";
import { hookboxCodec } from "../../../src/dialects/hookbox/codec.ts";
import type { Handler, Rule } from "../../../src/rule.ts";
import { askedAbout, convertTo, read, summaryOf } from "./conversions.ts";

/** Hooks that ask a model or an MCP server, and built-in hooks, in files of other agents. */

const BUILTIN = { type: "builtin", name: "add_date", args: [], network: "loopback" } as const;
const MODEL = {
  type: "model",
  model: "openai/gpt-4o-mini",
  prompt: "{{ .ToolName }}",
  template: "go",
  answer: "decision",
  continueOnBlock: true,
  redacts: true,
  maxTokens: 1_024,
} as const;
const PROMPT: Handler = { ...MODEL, prompt: "$ARGUMENTS", template: "arguments", answer: "ok" };
const AGENT: Handler = {
  type: "agent",
  model: undefined,
  prompt: "Look",
  redacts: true,
  maxTurns: 5,
  maxTokens: 9_000,
};
const TOOL: Handler = { type: "mcp_tool", server: "s", tool: "t", input: {} };

const rule = (handler: Handler, more: Partial<Rule> = {}): Rule => ({
  id: "r",
  name: "rule",
  event: "PreToolUse",
  matcher: undefined,
  handler,
  timeoutMs: 5_000,
  onFailure: "continue",
  mode: "enforce",
  may: ["deny", "ask", "allow", "rewrite", "context"],
  priority: 0,
  async: false,
  dialect: "hookbox",
  codec: hookboxCodec,
  compat: "safer",
  layer: "user",
  place: { file: "hookbox.json", pointer: "/hooks/0" },
  baseDir: "/base",
  ...more,
});

const written = async (dialect: string, ...rules: readonly Rule[]) =>
  convertTo(dialect, { rules, otherAgents: [], settings: {}, problems: [] });

describe("docker-agent's hooks", () => {
  const FILE = `
hooks:
  session_start:
    - { name: who, type: builtin, command: add_user_info, timeout: 5 }
    - { type: builtin, command: add_recent_commits, args: ["3"], env: { A: x }, working_dir: sub }
  turn_start:
    - { type: model, model: openai/gpt-4o-mini, prompt: "{{ .Cwd }}", on_error: ignore }
  before_llm_call:
    - { type: builtin, command: max_iterations, args: ["5"], on_error: block }
  pre_tool_use:
    - matcher: shell
      preempt_yolo: true
      hooks:
        - { type: model, model: a/b, prompt: "{{ .ToolName }}", schema: pre_tool_use_decision, strict_output: true }
`.replace("model: a/b", "model: anthropic/claude-haiku-4-5");

  test("of every type are unchanged after a round trip", async () => {
    const source = await read("docker-agent", FILE);
    expect(source.problems).toEqual([]);
    const { read: back, losses } = await convertTo("docker-agent", source);
    expect([back.problems, losses]).toEqual([[], []]);
    expect(back.rules.map(summaryOf)).toEqual(source.rules.map(summaryOf));
    expect(back.rules.map(({ identity }) => identity)).toEqual(source.rules.map(({ identity }) => identity));
    expect(back.rules.map(({ handler }) => handler.type)).toEqual(["builtin", "builtin", "model", "builtin", "model"]);
  });

  test("keep their grants in hookbox's own format, and lose settings without effect there", async () => {
    const source = await read("docker-agent", FILE);
    const { read: back, losses, text } = await convertTo("hookbox", source);
    expect(back.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(losses.filter(({ consequence }) => consequence === "looser" || consequence === "gone")).toEqual([]);
    expect(back.rules).toHaveLength(source.rules.length);
    expect(text).not.toContain("strict");
    expect(back.rules.at(-1)).toMatchObject({ lane: "preempt", may: ["deny", "ask", "allow", "rewrite", "context"] });
  });

  test("that are built in match the same events in hookbox's own format, and fail in the same way", async () => {
    const of = (name: string, args = "") =>
      `{ type: builtin, command: ${name}, args: [${args}], env: { A: "\${env.HOME}" } }`;
    const source = await read(
      "docker-agent",
      `
hooks:
  post_tool_use: [{ matcher: "shell|mcp_.*", hooks: [${of("snapshot")}] }]
  before_llm_call: [${of("max_iterations", '"5"')}]
  turn_start: [${of("add_context", '"{{ .AgentName }}"')}]
`,
    );
    const { read: back, losses } = await convertTo("hookbox", source);
    expect([back.problems, losses]).toEqual([[], []]);
    expect(back.rules.map(summaryOf)).toEqual(source.rules.map(summaryOf));
    const calls = ["Bash", "shell", "mcp_x", "Edit"].map((tool_name) => ({ tool_name }));
    const asked = ({ rules }: { readonly rules: readonly Rule[] }) =>
      askedAbout(rules.slice(0, 1), "docker-agent", calls);
    expect(asked(source)).toBe("1110");
    expect(asked(back)).toBe(asked(source));
  });

  test("that a setting stands for are written out, and those that the agent adds are left to it", async () => {
    const source = await read("docker-agent", "agents: { root: { add_date: true } }\nsettings: { snapshot: true }\n");
    const { text, losses } = await convertTo("docker-agent", source);
    expect(losses).toEqual([]);
    expect(text.match(/command: \w+/g)).toEqual(["command: add_date", ...Array(4).fill("command: snapshot")]);
    expect((await convertTo("claude-code", source)).losses.map(({ rule }) => rule)).not.toContain(
      "limit_large_tool_results",
    );
  });

  test.each<readonly [string, Handler, RegExp]>([
    ["a prompt for a yes or no", PROMPT, /Go templates/],
    ["a model that nobody names", { ...MODEL, model: undefined }, /names none/],
    ["a model without its provider", { ...MODEL, model: "haiku" }, /names none/],
    ["an agent", AGENT, /no hooks that ask an agent/],
    ["a tool", TOOL, /no hooks that call an MCP tool/],
    ["a built-in of another agent", { ...BUILTIN, name: "sound-alert" }, /no built-in hook "sound-alert"/],
  ])("cannot be %s, and the reason is reported", async (_, handler, why) => {
    const { losses, text } = await written("docker-agent", rule(handler));
    expect(losses).toMatchObject([{ what: "the whole hook", why: expect.stringMatching(why) }]);
    expect(text).not.toContain("type:");
  });

  test("express neither the length of an answer nor that it is sent unchanged", async () => {
    const { losses } = await written("docker-agent", rule({ ...MODEL, redacts: false, maxTokens: 99 }));
    expect(losses.map(({ what }) => what)).toEqual(expect.arrayContaining(["redact false", "maxTokens 99"]));
  });
});

describe("Autohand's hooks", () => {
  const FILE = JSON.stringify({
    hooks: {
      hooks: [
        { event: "stop", command: "builtin:sound-alert", description: "Ring", async: true },
        { event: "stop", command: "builtin:log-stop turns.log", timeout: 900 },
        { event: "file-modified", command: "builtin:auto-format", filter: { path: ["*.ts"] } },
      ],
    },
  });

  test("that are built-ins are unchanged after a round trip", async () => {
    const source = await read("autohand", FILE);
    expect(source.problems).toEqual([]);
    const { read: back, losses } = await convertTo("autohand", source);
    expect([back.problems, losses]).toEqual([[], []]);
    expect(back.rules.map(summaryOf)).toEqual(source.rules.map(summaryOf));
  });

  test.each<readonly [string, Handler, RegExp]>([
    ["with an argument of two words", { ...BUILTIN, name: "log-stop", args: ["a b"] }, /plain words/],
    ["with an empty argument", { ...BUILTIN, name: "log-stop", args: [""] }, /plain words/],
    ["with variables", { ...BUILTIN, env: { A: "x" } }, /cannot set variables/],
    ["with a folder", { ...BUILTIN, workingDir: "/tmp" }, /or a working directory/],
    ["that ask a model", MODEL, /no hooks that ask a model/],
    ["that ask an agent", AGENT, /no hooks that ask an agent/],
    ["that call a tool", TOOL, /no hooks that call an MCP tool/],
  ])("cannot be %s, and the reason is reported", async (_, handler, why) => {
    const { losses } = await written("autohand", rule(handler, { event: "Stop" }));
    expect(losses).toMatchObject([{ what: "the whole hook", why: expect.stringMatching(why) }]);
  });
});

test.each<readonly [Handler, RegExp]>([
  [BUILTIN, /no built-in hooks of hookbox/],
  [MODEL, /no hooks that ask a model/],
  [PROMPT, /no hooks that ask a model/],
  [AGENT, /no hooks that ask an agent/],
  [TOOL, /no hooks that call an MCP tool/],
])("agentao has none of them: %o", async (handler, why) => {
  const { losses } = await written("agentao", rule(handler, { event: "UserPromptSubmit" }));
  expect(losses).toMatchObject([{ what: "the whole hook", why: expect.stringMatching(why) }]);
});

test("a hook that only adds text guards nothing, and one that can refuse does", () => {
  const text: Handler = { ...MODEL, answer: "text" };
  expect([BUILTIN, text].map((handler) => lossOfRule(rule(handler)))).toEqual(["gone", "gone"]);
  const cap: Handler = { ...BUILTIN, name: "max_iterations", args: ["5"] };
  expect([MODEL, PROMPT, AGENT, TOOL].map((handler) => lossOfRule(rule(handler)))).toEqual(Array(4).fill("looser"));
  expect(lossOfRule(rule(cap, { event: "BeforeModelCall" }))).toBe("looser");
});
