import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { inProcess } from "../../e2e/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "hookbox-openclaw-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const prints = (reply: object) => `cat > /dev/null; echo '${JSON.stringify(reply)}'`;
const specific = (hookEventName: string, fields: object) =>
  prints({ hookSpecificOutput: { hookEventName, ...fields } });
const hooks = (...commands: string[]) => [{ hooks: commands.map((command) => ({ type: "command", command })) }];

const config = join(folder, "hookbox.json");
writeFileSync(
  config,
  JSON.stringify({
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: prints({ decision: "block", reason: "no shell" }) }] },
        {
          matcher: "edit",
          hooks: [
            {
              type: "command",
              command: specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?" }),
            },
          ],
        },
        {
          matcher: "Write",
          hooks: [{ type: "command", command: specific("PreToolUse", { updatedInput: { file_path: "safe.txt" } }) }],
        },
        { matcher: "web_fetch", hooks: [{ type: "command", command: "exit 7" }] },
      ],
      MessageSending: hooks(specific("MessageSending", { updatedToolOutput: "clean" })),
      BeforeInstall: hooks(prints({ decision: "block", reason: "not reviewed" })),
      BeforeAgentRun: hooks("true"),
      Stop: hooks(prints({ decision: "block", reason: "run the tests" })),
    },
  }),
);

const run = async (line: unknown, args: readonly string[] = []) => {
  const stdin = typeof line === "string" ? line : JSON.stringify(line);
  return inProcess(["run", "--dialect", "openclaw", "--config", config, ...args], { stdin, cwd: folder });
};
const tool = (toolName: string, params: object) => ({
  hook: "before_tool_call",
  event: { toolName, params },
  ctx: { sessionId: "s" },
  id: 1,
});

describe("hookbox run --dialect openclaw", () => {
  test.each([
    ["cron_changed", 'hookbox has no event for OpenClaw\'s hook "cron_changed", so no rule can be asked there'],
    ["cron_chnged", 'OpenClaw has no hook "cron_chnged"'],
  ])("reports for %s whether OpenClaw has the hook", async (hook, message) => {
    const { exitCode, stderr } = await run({ hook, event: {}, ctx: {} });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
  });

  test.each<[string, unknown, object]>([
    ["a refusal", tool("exec", { command: "ls" }), { block: true, blockReason: expect.stringContaining("no shell") }],
    [
      "a question",
      tool("edit", { path: "a" }),
      { requireApproval: { title: "Run edit", description: expect.stringContaining("sure?") } },
    ],
    ["a rewrite", tool("write", { path: "/etc/passwd", content: "c" }), { params: { path: "safe.txt", content: "c" } }],
    [
      "a hook that fails",
      tool("web_fetch", { url: "u" }),
      { block: true, blockReason: expect.stringContaining("stays shut") },
    ],
    ["nothing to say", tool("read", { path: "a" }), {}],
    ["a message", { hook: "message_sending", event: { content: "dirty" } }, { content: "clean" }],
    [
      "an installation",
      { hook: "before_install", event: {} },
      { block: true, blockReason: expect.stringContaining("not reviewed") },
    ],
    ["a run", { hook: "before_agent_run", event: {} }, { outcome: "pass" }],
    [
      "an answer",
      { hook: "before_agent_finalize", event: {} },
      { action: "revise", reason: expect.stringContaining("run the tests") },
    ],
    ["an event that no rule is for", { hook: "message_sent", event: {} }, {}],
  ])("answers %s with one line and exit code 0", async (_, line, result) => {
    const { stdout, exitCode } = await run(line);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect([JSON.parse(stdout), exitCode]).toEqual([result, 0]);
  });

  test.each([
    ["", "empty"],
    ["[]", "object"],
    ['{"hook":"before_tool_call"', "JSON"],
    ['{"hook":"before_tool_call"}', "event must be an object"],
    ['{"hook":"before_tool_call","event":{}}', "tool_name"],
    ['{"hook":"no_such_hook","event":{}}', "no hook"],
    ['{"event":{}}', "no hook"],
  ])("refuses the line %j", async (line, message) => {
    const { stdout, stderr, exitCode } = await run(line);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ block: true, blockReason: expect.stringContaining(message) });
    expect(stderr).toContain(message);
  });

  test("refuses in the form of all hooks if the hook cannot be identified", async () => {
    const refusalOf = async (line: string): Promise<unknown> => JSON.parse((await run(line)).stdout);
    const sending = await refusalOf('{"hook":"message_sending","event":{},"ctx":7}');
    expect(sending).toMatchObject({ cancel: true, block: true, outcome: "block" });
  });

  test("ignores OpenClaw's own settings, which have no rules", async () => {
    const settings = join(folder, "openclaw.json");
    writeFileSync(settings, '{ "plugins": { "entries": { "a": { "hooks": { "timeoutMs": "5s" } } } } }');
    const check = await inProcess(["check", settings, "--format", "openclaw"], { cwd: folder });
    expect(`${check.stdout}${check.stderr}`).toContain("timeoutMs must be");
  });
});
