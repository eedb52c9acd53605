import { describe, expect, test } from "vitest";
import { bashCall, hookbox, project } from "./cli.ts";

/** Which agent an event belongs to, if the command line names only the format of a file. */

const reply = 'echo \'{"decision":"block","reason":"no"}\'';
const AGENT = `
agents:
  root:
    hooks:
      pre_tool_use:
        - hooks: [{ type: command, command: ${JSON.stringify(reply)} }]
`;
const toolUse = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });

describe("without --dialect", () => {
  test("an agent's format also names the agent", async () => {
    const config = project().write("agent.yaml", AGENT);
    const named = ["--config", config, "--format", "docker-agent"];
    const [implied, said] = await Promise.all([
      hookbox(["run", ...named], { stdin: toolUse }),
      hookbox(["run", ...named, "--dialect", "docker-agent"], { stdin: toolUse }),
    ]);
    expect(implied).toMatchObject({ exitCode: said.exitCode, stdout: said.stdout });
    expect(implied.stdout).toContain("no");
    const explained = await hookbox(["explain", ...named], { stdin: toolUse });
    expect(explained).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("1 of 1 rule applies") });
  });

  test("hookbox's own format names no agent, so the agent is Claude Code", async () => {
    const config = project().configure("PreToolUse", { type: "command", command: reply });
    const { stdout } = await hookbox(["run", "--config", config, "--format", "hookbox"], { stdin: bashCall("ls") });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});

test("--dialect overrides the agent of a format", async () => {
  const config = project().write("agent.yaml", AGENT);
  const named = ["--config", config, "--format", "docker-agent", "--dialect", "claude-code"];
  const { stdout } = await hookbox(["run", ...named], { stdin: bashCall("ls") });
  expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
});
