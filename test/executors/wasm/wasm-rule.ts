import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { HookEvent } from "../../../src/event.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { WasmLimits } from "../../../src/grants.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { Failure, Receipt, Reply, RunResult } from "../../../src/outcome.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";
import type { SandboxOptions } from "../../../src/sandbox/pool/guest-pool.ts";
import { guest } from "../../helpers/guests.ts";
import { makeRule } from "../../helpers/rules.ts";
import { MIB } from "../../sandbox/module-requirements.ts";

/** The files of a worker may share this one, so it is removed with the run's own folder. */
const folder = mkdtempSync(path.join(process.env["XDG_CACHE_HOME"] ?? tmpdir(), "hookbox-guests-"));
let files = 0;

/** Returns the path of a file that is removed with the run. */
export function fileOf(bytes: Uint8Array): string {
  files += 1;
  const file = path.join(folder, `guest-${files}.wasm`);
  writeFileSync(file, bytes);
  return file;
}

export interface RuleParts extends Partial<Omit<Rule, "handler">> {
  readonly handler?: Partial<Omit<HandlerOf<"wasm">, "type">>;
}

/** Practically unlimited fuel, so that tests of deadlines reach the deadline. */
export const LIMITS: WasmLimits = {
  memoryBytes: 16 * MIB,
  outputBytes: 65_536,
  fuel: 1e15,
  fuelPerInputByte: 0,
  depth: 262_144,
};

/** Returns a rule for a guest: the name of a fixture, the bytes of a module, or a path in `handler.module`. */
export function wasmRule(module: string | Uint8Array, { handler, ...parts }: RuleParts = {}): Rule {
  return makeRule({
    may: ["deny", "ask"],
    ...parts,
    handler: {
      type: "wasm",
      module: fileOf(typeof module === "string" ? guest(module) : module),
      function: "handle",
      config: {},
      limits: LIMITS,
      ...handler,
    },
  });
}

export const toolEvent = (payload: JsonObject = {}): HookEvent => ({
  name: "PreToolUse",
  dialect: "claude-code",
  payload: { tool_name: "Bash", tool_input: { command: "ls" }, hook_event_name: "PreToolUse", ...payload },
});

/** Returns an executor that is closed, with all of its threads, at the end of the test. Default: one thread. */
export function openExecutor(options: SandboxOptions = {}, onHungThreads?: (count: number) => void): WasmExecutor {
  const executor = new WasmExecutor({ threads: 1, ...options, onHungThreads });
  onTestFinished(() => executor.close());
  return executor;
}

export interface RunParts {
  readonly event?: HookEvent;
  readonly signal?: AbortSignal;
  readonly executor?: WasmExecutor;
}

export function run(rule: Rule, { event, signal, executor }: RunParts = {}): Promise<RunResult> {
  const options = { signal: signal ?? new AbortController().signal, timeLeftMs: rule.timeoutMs };
  return (executor ?? openExecutor()).run(rule, event ?? toolEvent(), options);
}

export async function runToReply(rule: Rule, parts?: RunParts): Promise<{ reply: Reply; receipt: Receipt }> {
  const result = await run(rule, parts);
  if (!result.ok) throw new Error(`expected a reply, got ${result.failure.kind}: ${result.failure.message}`);
  return result;
}

export async function runToFailure(rule: Rule, parts?: RunParts): Promise<Failure & { receipt: Receipt }> {
  const result = await run(rule, parts);
  if (result.ok) throw new Error(`expected a failure, got ${JSON.stringify(result.reply)}`);
  return { ...result.failure, receipt: result.receipt };
}

export const TIMEOUT: Failure = { kind: "timeout", message: "no answer within 300 ms", limit: 300 };

/** Returns a signal that fires with a timeout's failure, by hand or after a time. */
export function deadline(afterMs?: number): { readonly signal: AbortSignal; pass(): void } {
  const controller = new AbortController();
  const pass = (): void => controller.abort(TIMEOUT);
  if (afterMs !== undefined) {
    const timer = setTimeout(pass, afterMs);
    onTestFinished(() => clearTimeout(timer));
  }
  return { signal: controller.signal, pass };
}

/** Returns the result without its durations. */
export function withoutTime(result: RunResult): unknown {
  const { micros: _, ...receipt } = result.receipt;
  return { ...result, receipt };
}
