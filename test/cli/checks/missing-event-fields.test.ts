import { expect, test } from "vitest";
import { project } from "../../e2e/cli.ts";
import { inProcess } from "../../e2e/in-process.ts";

/** `check` warns of rules that decide about an event of which they see nothing. */

const model = (prompt: string, more: object = {}): object => ({ type: "model", model: "openai/x", prompt, ...more });
const tool = (input?: object): object => ({ type: "mcp_tool", server: "s", tool: "t", ...(input && { input }) });
const WARNING = expect.stringContaining("without seeing the event");

test.each<[string, string, object, boolean]>([
  ["a judge without a place for the event", "PreToolUse", model("Fine?", { schema: "ok" }), true],
  ["a text about a call without a place for the event", "PreToolUse", model("Fine?"), true],
  ["a judge of prompts that sees none", "UserPromptSubmit", model("Fine?", { schema: "ok" }), true],
  ["a tool that is given fixed words", "PreToolUse", tool({ text: "hello" }), true],
  ["a tool that is given nothing", "PreToolUse", tool(), true],
  ["a judge that sees a field", "PreToolUse", model("{{ .ToolInput | toJSON }}", { schema: "ok" }), false],
  ["a tool that is given a field", "PreToolUse", tool({ text: "${tool_input.command}" }), false],
  ["a prompt, to which the event is added", "PreToolUse", { type: "prompt", prompt: "Fine?" }, false],
  ["an agent, to whose prompt the event is added", "PreToolUse", { type: "agent", prompt: "Fine?" }, false],
  ["a text for each session", "SessionStart", model("Tell a joke"), false],
  ["a text for each prompt", "UserPromptSubmit", model("Tell a joke"), false],
])("%s at %s", async (_, event, hook, warns) => {
  const servers = { mcpServers: { s: { command: "./server" } } };
  const config = project().write(
    "hookbox.json",
    JSON.stringify({ ...servers, hooks: { [event]: [{ hooks: [hook] }] } }),
  );
  const { stdout } = await inProcess(["check", "--json", config]);
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly { severity: string; message: string }[] };
  const warnings = problems.filter(({ severity }) => severity === "warning").map(({ message }) => message);
  expect(warnings).toEqual(warns ? expect.arrayContaining([WARNING]) : expect.not.arrayContaining([WARNING]));
});

test("docker-agent's judge without a placeholder for the event is one of them", async () => {
  const place = project();
  const hooks = '{"hooks":{"pre_tool_use":[{"hooks":[{"type":"model","model":"openai/x","prompt":"Fine?"}]}]}}';
  place.write("agent.yaml", hooks);
  const { stdout } = await inProcess(["check", "docker-agent:agent.yaml"], { cwd: place.folder });
  expect(stdout).toContain("without seeing the event");
});
