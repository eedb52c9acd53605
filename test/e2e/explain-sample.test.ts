import { expect, test } from "vitest";
import { project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** `explain --sample`: makes up an event for users who have no payload. */

const explain = async (args: string) => {
  const place = project();
  place.configure("PreToolUse", { type: "command", command: "true" });
  return inProcess(["explain", ...args.split(" ")], { cwd: place.folder });
};

test.each([
  ["--sample --event PreToolUse", { hook_event_name: "PreToolUse", tool_name: "Bash" }],
  ["--sample --event PreToolUse --dialect docker-agent --tool Write", { tool_name: "write_file", agent_name: "root" }],
  ["--sample --event pre-tool --dialect autohand --tool delete_path", { tool_input: { path: "src/example.ts" } }],
  ["--sample --event PreToolUse --tool mcp__memory__look", { tool_name: "mcp__memory__look", tool_input: {} }],
  ["--sample --event before_tool_call --dialect openclaw", { hook: "before_tool_call", event: { toolName: "exec" } }],
  ["--sample --event PreToolUse --dialect agentao", { event: "PreToolUse", data: { toolName: "Bash" } }],
])("%s explains an event as the agent would send it", async (args, payload) => {
  const { exitCode, stdout } = await explain(`${args} --json`);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ event: "PreToolUse", payload, rules: [{ applies: true }] });
});

test("says what was made up, and then for each rule whether it applies", async () => {
  const { stdout } = await explain("--sample --event PreToolUse");
  expect(stdout).toMatch(/^given \{"session_id":"hookbox-try",.*\nPreToolUse: 1 of 1 rule applies\n/);
});

test("shows what the call does", async () => {
  const args = "--sample --event pre-tool --dialect autohand --tool delete_path";
  const { stdout } = await explain(args);
  expect(stdout).toMatch(/\n {2}does {3}delete \{"path":"\/.*\/src\/example\.ts"\}\n/);
  expect(JSON.parse((await explain(`${args} --json`)).stdout)).toMatchObject({ actions: [{ kind: "delete" }] });
});

test.each([
  ["--sample", "--sample needs --event NAME"],
  ["--sample --event PreTolUse", 'did you mean "PreToolUse"?'],
  ["--sample --event PreToolUse --dialect auto", "--dialect NAME"],
  ["--event PreToolUse --tool Bash", "--tool goes with --sample"],
])("%s is refused", async (args, why) => {
  const { exitCode, stderr } = await explain(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(why) });
});
