import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Codec, DecodedReply, ProcessResult } from "../../../src/codec.ts";
import type { HookEvent } from "../../../src/event.ts";
import { CommandExecutor, type CommandExecutorOptions } from "../../../src/executors/command/command-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { Failure, Receipt, Reply, RunResult } from "../../../src/outcome.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";

export const HOOKS = path.resolve(import.meta.dirname, "../../fixtures/hooks");

function decodeReply({ exitCode, stdout, stderr }: ProcessResult): DecodedReply {
  if (exitCode === 2) return { ok: true, reply: { decision: "deny", reason: stderr } };
  if (exitCode !== 0) return { ok: false, failure: { kind: "exit", message: `exit ${exitCode}`, value: exitCode } };
  if (stdout.trim() === "") return { ok: true, reply: {} };
  try {
    return { ok: true, reply: JSON.parse(stdout) as Reply };
  } catch {
    return { ok: true, reply: { additionalContext: [stdout] } };
  }
}

const plainCodec: Codec = {
  dialect: "hookbox",
  encodePayload: (event) => JSON.stringify(event.payload),
  decodeReply,
  environment: () => ({}),
  decodeHttpReply: () => ({ ok: true, reply: {} }),
  readDetachment: () => undefined,
  inheritedEnvironment: "listed",
  startsAt: "file",
  keepsBackgroundProcesses: false,
};

export interface RuleParts extends Partial<Omit<Rule, "handler" | "codec">> {
  readonly codec?: Partial<Codec>;
}

/** Returns a rule with this command line, or with the given handler. */
export function commandRule(
  command: string | Omit<HandlerOf<"command">, "type">,
  { codec, ...parts }: RuleParts = {},
): Rule {
  const handler = typeof command === "string" ? { command } : command;
  const agents = { inheritedEnvironment: "most", startsAt: "agent" } as const;
  return {
    id: "test/0",
    name: "test rule",
    event: "PreToolUse",
    matcher: undefined,
    handler: { type: "command", ...handler },
    timeoutMs: 60_000,
    onFailure: undefined,
    mode: "enforce",
    may: ["deny", "ask", "allow", "rewrite", "context"],
    priority: 0,
    async: false,
    dialect: "hookbox",
    codec: { ...plainCodec, ...((parts.dialect ?? "hookbox") === "hookbox" ? {} : agents), ...codec },
    compat: "safer",
    layer: "project",
    place: undefined,
    baseDir: HOOKS,
    ...parts,
  };
}

export function toolEvent(payload: JsonObject = {}): HookEvent {
  return { name: "PreToolUse", dialect: "hookbox", payload: { hook_event_name: "PreToolUse", ...payload } };
}

/** Returns an executor that is closed at the end of the test, with everything that it started. */
export function openExecutor(options?: CommandExecutorOptions): CommandExecutor {
  const executor = new CommandExecutor(options);
  onTestFinished(() => executor.close());
  return executor;
}

interface RunParts {
  readonly event?: HookEvent;
  readonly signal?: AbortSignal;
  readonly executor?: CommandExecutor;
}

export function run(rule: Rule, { event, signal, executor }: RunParts = {}): Promise<RunResult> {
  const options = { signal: signal ?? new AbortController().signal, timeLeftMs: rule.timeoutMs };
  return (executor ?? openExecutor()).run(rule, event ?? toolEvent(), options);
}

export async function runToReply(rule: Rule, parts?: RunParts): Promise<Reply & { receipt: Receipt }> {
  const result = await run(rule, parts);
  if (!result.ok) throw new Error(`expected a reply, got ${result.failure.kind}: ${result.failure.message}`);
  return { ...result.reply, receipt: result.receipt };
}

export async function runToFailure(rule: Rule, parts?: RunParts): Promise<Failure & { receipt: Receipt }> {
  const result = await run(rule, parts);
  if (result.ok) throw new Error(`expected a failure, got ${JSON.stringify(result.reply)}`);
  return { ...result.failure, receipt: result.receipt };
}

/** Returns the plain text that the hook printed. */
export async function textOf(rule: Rule, parts?: RunParts): Promise<string> {
  const { additionalContext } = await runToReply(rule, parts);
  return additionalContext?.join("") ?? "";
}

export function scratchFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookbox-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const TIMEOUT_FAILURE: Failure = { kind: "timeout", message: "no answer within 300 ms", limit: 300 };

export interface Deadline {
  readonly signal: AbortSignal;
  pass(): void;
}

/** Returns a signal that the test fires. */
export function deadline(): Deadline {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    pass() {
      controller.abort(TIMEOUT_FAILURE);
    },
  };
}

/** Returns the process ids that a hook has written, one to a line. */
export function readPids(file: string): number[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1).map(Number);
  } catch {
    return [];
  }
}

/** Whether the process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
