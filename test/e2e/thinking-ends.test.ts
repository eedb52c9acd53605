import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MCP_SERVER } from "../helpers/mcp-server.ts";
import { startStubModel } from "../helpers/stub-model.ts";
import { agentNamed } from "./agents-by-hand.ts";
import { type CliResult, hookbox, type Project, project, replyOf } from "./cli.ts";

/**
 * A process for one event whose hook waits for a provider or program that never ends: hookbox refuses and ends, and so
 * does everything that it started.
 */

/** Long enough for a process on a busy machine to reach its hook. */
const TOO_SLOW = { timeoutMs: 2_000 };
const WHY = /within 2000 ms/;

interface Asked {
  readonly place: Project;
  readonly hook: object;
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}

/** Finds processes with the marker in their environment, which every process that the run starts inherits. */
async function ask({ place, hook, settings, env }: Asked, marker: string): Promise<CliResult> {
  const config = place.write(
    "hookbox.json",
    JSON.stringify({ ...settings, hooks: { PreToolUse: [{ hooks: [{ name: "judge", ...hook }] }] } }),
  );
  const event = {
    session_id: "s",
    cwd: place.folder,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "make deploy" },
  };
  // One of the few variables that every child gets, whose value none of them uses.
  const variables = { HOME: join(place.folder, marker), XDG_STATE_HOME: join(place.folder, "state"), ...env };
  return hookbox(["run", "--config", config], { stdin: JSON.stringify(event), env: variables });
}

function alive(marker: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, "utf8").includes(marker)) return [];
      return [`${pid}: ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
    } catch {
      // The process has just ended, or belongs to another user.
      return [];
    }
  });
}

async function expectDenied(asked: Asked): Promise<void> {
  const marker = `marker-${randomUUID()}`;
  const asking = ask(asked, marker);
  // Checks first that the marker finds the processes while they run.
  await expect.poll(() => alive(marker).length).toBeGreaterThan(0);
  const result = await asking;
  expect(result).toMatchObject({ exitCode: 0, signal: null });
  expect(replyOf(result)).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringMatching(WHY),
  });
  expect(agentNamed("hookbox").next(result)).toBe("refuses");
  await expect.poll(() => alive(marker)).toEqual([]);
}

test("a provider that hangs is abandoned, and its connection is closed", async () => {
  const model = await startStubModel(() => ({ hangs: true }));
  onTestFinished(() => model.close());
  const openai = { type: "openai", baseUrl: `${model.url}/v1`, apiKeyEnv: null };
  const hook = { type: "prompt", prompt: "Does it deploy?", model: "here/small", ...TOO_SLOW };
  await expectDenied({ place: project(), hook, settings: { modelProviders: { here: openai } } });
  expect(model.requests).toHaveLength(1);
  await expect.poll(() => model.openSockets()).toBe(0);
});

test("an MCP server that ignores SIGTERM is ended with the process", async () => {
  const place = project();
  const log = join(place.folder, "log");
  const env = { LOG: log, MODE: "ignores-sigterm" };
  const settings = { mcpServers: { policy: { command: process.execPath, args: [MCP_SERVER], env } } };
  const hook = { type: "mcp_tool", server: "policy", tool: "hangs", ...TOO_SLOW };
  await expectDenied({ place, hook, settings });
  expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(1);
});

/**
 * Creates a repository, and a git that comes before the real one on PATH and does not end; it writes to `called` when
 * it is started.
 */
function stuckRepository(): { readonly place: Project; readonly env: Record<string, string>; readonly called: string } {
  const place = project();
  execFileSync("git", ["init", "--quiet", place.folder]);
  const called = join(place.folder, "called");
  const script = `#!/bin/sh\necho called >> ${called}\ntrap '' TERM\nsleep 600 &\nwhile :; do sleep 1; done\n`;
  chmodSync(place.write("git", script), 0o755);
  return { place, called, env: { PATH: `${place.folder}${delimiter}${process.env["PATH"]}` } };
}

test("a git that hangs is ended, with the processes that it started", async () => {
  const { called, ...stuck } = stuckRepository();
  await expectDenied({ ...stuck, hook: { type: "function", run: "builtin:add_git_status", ...TOO_SLOW } });
  expect(existsSync(called)).toBe(true);
});

test("a snapshot for which git does not end is given up in time, and delays no answer", async () => {
  const { called, ...stuck } = stuckRepository();
  const marker = `marker-${randomUUID()}`;
  const hook = { type: "function", run: "builtin:snapshot", timeoutMs: 2_500 };
  const { exitCode, stdout } = await ask({ ...stuck, hook }, marker);
  expect([exitCode, stdout]).toEqual([0, ""]);
  expect(existsSync(called)).toBe(true);
  const left = readdirSync(stuck.place.folder, { recursive: true, encoding: "utf8" });
  expect(left.filter((name) => /^state.*(?:lock|index\.)/.test(name))).toEqual([]);
  await expect.poll(() => alive(marker)).toEqual([]);
});
