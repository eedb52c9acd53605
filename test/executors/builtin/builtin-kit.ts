import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { HookEvent } from "../../../src/event.ts";
import { BuiltinExecutor, type BuiltinExecutorOptions } from "../../../src/executors/builtin/builtin-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import { Models } from "../../../src/models/models.ts";
import type { Failure, Reply, RunResult } from "../../../src/outcome.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeEvent, makeRule } from "../../helpers/rules.ts";

/** Runs built-in hooks as an engine does, each in a separate folder. */

export function folder(files: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "hookbox-builtin-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

export function git(cwd: string, ...args: string[]): string {
  const identity = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.org" };
  const committer = { GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.org" };
  const own = { HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const env = { PATH: process.env["PATH"], ...own, ...identity, ...committer };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Creates a repository with one commit of these files. */
export function repository(files: Readonly<Record<string, string>> = { "a.txt": "one\n" }): string {
  const root = folder(files);
  git(root, "init", "-q", "-b", "main");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "first");
  return root;
}

export function builtinRule(
  name: string,
  args: readonly string[] = [],
  { handler, ...parts }: Partial<Omit<Rule, "handler">> & { readonly handler?: Partial<HandlerOf<"builtin">> } = {},
): Rule {
  const whole: HandlerOf<"builtin"> = { type: "builtin", name, args, network: "public", ...handler };
  return makeRule({ event: "SessionStart", layer: "user", ...parts, handler: whole });
}

export function openExecutor(options: BuiltinExecutorOptions = {}): BuiltinExecutor {
  const executor = new BuiltinExecutor(new Models(), { spillRoot: path.join(folder(), "spills"), ...options });
  onTestFinished(() => executor.close());
  return executor;
}

export interface Asked {
  readonly executor?: BuiltinExecutor;
  readonly stop?: Stop;
}

export function call(rule: Rule, event: HookEvent, { executor = openExecutor(), stop = new Stop() }: Asked = {}) {
  return executor.run(rule, event, { signal: stop, timeLeftMs: rule.timeoutMs });
}

/** Runs the hook of that name at the start of a session in this folder. */
export function atStart(cwd: string, name: string, args?: readonly string[], asked?: Asked): Promise<RunResult> {
  return call(builtinRule(name, args), sessionStart(cwd), asked);
}

export function sessionStart(cwd: string): HookEvent {
  return makeEvent("SessionStart", { session_id: "s1", cwd, source: "startup" });
}

export function toolResult(response: unknown, fields: JsonObject = {}): HookEvent {
  const usual = { session_id: "s1", cwd: "/", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
  return makeEvent("PostToolUse", { ...usual, tool_response: response as JsonObject, ...fields });
}

export function replyOf(result: RunResult): Reply {
  if (!result.ok) throw new Error(`${result.failure.kind}: ${result.failure.message}`);
  return result.reply;
}

export function textOf(result: RunResult): string | undefined {
  return replyOf(result).additionalContext?.join("\n");
}

export function failureOf(result: RunResult): Failure {
  if (result.ok) throw new Error(`expected a failure, not ${JSON.stringify(result.reply)}`);
  return result.failure;
}
