import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { claudeCodeCodec } from "../../../src/dialects/claude-code/codec.ts";
import type { HookEvent } from "../../../src/event.ts";
import type { McpLimits } from "../../../src/executors/mcp/limits.ts";
import { McpToolExecutor } from "../../../src/executors/mcp/mcp-tool-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { Handler, McpServer, Rule } from "../../../src/rule.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { MCP_SERVER } from "../../helpers/mcp-server.ts";
import { bashEvent, makeRule } from "../../helpers/rules.ts";

/** Rules that call tools of the server in test/fixtures/mcp, and helpers for their results. */

/** Short enough for tests, and long enough for a busy machine. */
const LIMITS: Partial<McpLimits> = { killGraceMs: 100, connectMs: 20_000 };

const executors: McpToolExecutor[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(executors.splice(0).map((executor) => executor.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function newExecutor(limits: Partial<McpLimits> = {}): McpToolExecutor {
  const executor = new McpToolExecutor({ ...LIMITS, ...limits }, "all");
  executors.push(executor);
  return executor;
}

type StdioServer = Extract<McpServer, { kind: "stdio" }>;

/** A server that writes a log. */
export interface LoggedServer extends StdioServer {
  /** The process ids of the server's starts. */
  starts(): readonly number[];
  notes(): readonly string[];
}

export function newServer(mode = "", parts: Partial<StdioServer> = {}): LoggedServer {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-mcp-"));
  folders.push(folder);
  const log = join(folder, "starts");
  const linesOf = (file: string): string[] =>
    existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  const server: StdioServer = {
    kind: "stdio",
    command: process.execPath,
    args: [MCP_SERVER],
    env: { LOG: log, MODE: mode },
    workingDir: folder,
    ...parts,
  };
  return Object.assign(server, { starts: () => linesOf(log).map(Number), notes: () => linesOf(`${log}.notes`) });
}

export function mcpRule(found: McpServer, tool: string, input: JsonObject = {}, parts: Partial<Rule> = {}): Rule {
  const handler: Handler = { type: "mcp_tool", server: "fixture", found, tool, input };
  return makeRule({ name: "asks", codec: claudeCodeCodec, handler, ...parts });
}

interface Running {
  readonly stop: Stop;
  readonly result: Promise<RunResult>;
}

export function start(executor: McpToolExecutor, rule: Rule, event: HookEvent = bashEvent("ls")): Running {
  const stop = new Stop();
  return { stop, result: executor.run(rule, event, { signal: stop, timeLeftMs: rule.timeoutMs }) };
}

export function run(executor: McpToolExecutor, rule: Rule, event?: HookEvent): Promise<RunResult> {
  return start(executor, rule, event).result;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the condition is true, long enough for a busy machine to start and end processes. */
export async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline && !isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Resolves when the processes are gone; otherwise the assertion after it fails. */
export async function gone(pids: readonly number[]): Promise<readonly number[]> {
  await until(() => !pids.some(isAlive));
  return pids.filter(isAlive);
}
