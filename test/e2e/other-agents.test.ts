import { describe, expect, test } from "vitest";
import { SENDERS } from "../dialects/client-payloads.ts";
import { bashCall, project, replyOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** Agents without a dialect that run hookbox as their hook. */

const payloadOf = (name: string, event = "PreToolUse"): Record<string, unknown> => {
  const sent = SENDERS.find((one) => one.name === name)?.payloads.find((one) => one["hook_event_name"] === event);
  if (sent === undefined) throw new Error(`${name} has no ${event}`);
  return { ...sent };
};
const allows = { type: "command", name: "look", command: "true" };
const CLAUDE_TOOLS = "Bash|Write|Edit";

function configured(matcher: string | undefined, ...hooks: readonly object[]): string {
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks };
  return project().write("hookbox.json", JSON.stringify({ hooks: { PreToolUse: [group] } }));
}

describe("a tool that the agent calls by its own name", () => {
  test.each([
    ["Qwen Code", "run_shell_command", "Bash"],
    ["Qwen Code", "write_file", "Write"],
    ["Codex", "apply_patch", "Write or Edit"],
  ])("is refused if a rule would miss it: %s's %s", async (agent, tool, names) => {
    const stdin = JSON.stringify({ ...payloadOf(agent), tool_name: tool });
    for (const dialect of ["claude-code", "hookbox", "patterns"]) {
      const args = ["run", "--dialect", dialect, "--config", configured(CLAUDE_TOOLS, allows)];
      const message = `${agent} calls this tool "${tool}", and a rule that names ${names} would miss it: look`;
      expect(await inProcess(args, { stdin })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(message),
      });
    }
  });

  test("is refused if a condition would miss it", async () => {
    const config = configured(undefined, { ...allows, if: "Bash(git *)" });
    const asked = (command: string) =>
      inProcess(["run", "--config", config], {
        stdin: JSON.stringify({ ...payloadOf("Qwen Code"), tool_input: { command } }),
      });
    expect(await asked("git push --force")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("miss it") });
    expect(await asked("ls")).toMatchObject({ exitCode: 0, stdout: "" });
  });

  test.each([
    ["a rule that names it", `${CLAUDE_TOOLS}|run_shell_command`, allows, "run_shell_command"],
    ["a rule for all tools", undefined, allows, "run_shell_command"],
    ["a rule for other tools", "WebFetch", allows, "run_shell_command"],
    ["a rule that only watches", CLAUDE_TOOLS, { ...allows, mode: "monitor" }, "run_shell_command"],
    ["a tool that Claude Code does not have", CLAUDE_TOOLS, allows, "exit_plan_mode"],
    ["a tool of an MCP server", CLAUDE_TOOLS, allows, "mcp__notes__find"],
  ])("runs with %s", async (_, matcher, rule, tool) => {
    const stdin = JSON.stringify({ ...payloadOf("Qwen Code"), tool_name: tool });
    const result = await inProcess(["run", "--config", configured(matcher, rule)], { stdin });
    expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test.each(["run_shell_command", "apply_patch", "mcp__notes__find", "NewTool", "write_file"])(
    "is not refused for Claude Code: %s",
    async (tool) => {
      for (const agent of ["Claude Code 2.1.330", "Claude Code before 2.1.196"]) {
        const stdin = JSON.stringify({ ...payloadOf(agent), tool_name: tool });
        const result = await inProcess(["run", "--config", configured(CLAUDE_TOOLS, allows)], { stdin });
        expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
      }
    },
  );

  test("is refused line by line as well", async () => {
    const stdin = `${JSON.stringify(payloadOf("Qwen Code"))}\n`;
    const result = await inProcess(["run", "--lines", "--config", configured(CLAUDE_TOOLS, allows)], { stdin });
    expect(JSON.parse(result.stdout)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("would miss it") });
  });
});

test.each([
  ["Codex", "ask"],
  ["Codex", "defer"],
  ["Kimi Code", "ask"],
  ["Copilot CLI in Claude Code's form", "defer"],
])("%s would run the tool after a hook's %s, and is refused", async (agent, word) => {
  const said = { hookEventName: "PreToolUse", permissionDecision: word, permissionDecisionReason: "look at this" };
  const rule = { type: "command", command: `printf '%s' '${JSON.stringify({ hookSpecificOutput: said })}'` };
  const result = await inProcess(["run", "--config", configured(undefined, rule)], {
    stdin: JSON.stringify(payloadOf(agent)),
  });
  expect(replyOf(result)).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringMatching(/look at this.*would run the tool after a hook's/),
  });
});

describe("with --dialect auto, an event of an agent without a dialect", () => {
  const config = (): string => configured(undefined, allows);

  test.each(["Codex", "Qwen Code", "Kimi Code"])("of %s goes on if nothing can be refused there", async (agent) => {
    const stdin = JSON.stringify(payloadOf(agent, "Stop"));
    const result = await inProcess(["run", "--dialect", "auto", "--config", config()], { stdin });
    expect(result).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(`looks like ${agent}'s`) });
    const lines = await inProcess(["run", "--lines", "--dialect", "auto", "--config", config()], { stdin });
    expect(JSON.parse(lines.stdout)).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("that is a prompt is refused without a field for tools", async () => {
    const stdin = JSON.stringify(payloadOf("Codex", "UserPromptSubmit"));
    const result = await inProcess(["run", "--dialect", "auto", "--config", config()], { stdin });
    expect(result.exitCode).toBe(2);
    expect(JSON.parse(result.stdout)).not.toHaveProperty("hookSpecificOutput");
    expect(JSON.parse(result.stdout)).toMatchObject({ decision: "block", blockingError: expect.any(String) });
  });

  test("is refused in its own format without a configuration, too", async () => {
    const stdin = JSON.stringify(payloadOf("Codex", "UserPromptSubmit"));
    const result = await inProcess(["run", "--dialect", "auto"], { stdin, cwd: project().folder });
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("HOOK_CONFIG_NOT_FOUND") });
    expect(JSON.parse(result.stdout)).not.toHaveProperty("hookSpecificOutput");
  });
});

test("an error about a configuration searched in / says which variable is missing", async () => {
  const args = ["run", "--config", "/no-such-hookbox.json"];
  const result = await inProcess(args, { stdin: bashCall("ls"), env: { CLAUDE_PROJECT_DIR: "" } });
  expect(result).toMatchObject({ exitCode: 2 });
  expect(result.stderr).toContain("CLAUDE_PROJECT_DIR is not set, as under Codex and Kimi Code");
  expect(result.stderr).toContain('"${CLAUDE_PROJECT_DIR:-.}"/no-such-hookbox.json');
});
