import { readFileSync } from "node:fs";
import { expect } from "vitest";
import fixtureList from "../../plugins/shell-guard/fixtures.json" with { type: "json" };
import { type Answer, type Config, callGuard } from "./bare-host.ts";

export const guardBytes = readFileSync(new URL("../../dist/guards/shell-guard.wasm", import.meta.url));
export const guard = new WebAssembly.Module(guardBytes);

export interface Fixture {
  readonly name: string;
  readonly event: object;
  readonly config?: Config;
  readonly decision: string;
  readonly reason?: string;
}

export interface Verdict {
  readonly decision: string;
  readonly reason: string;
}

export function read(answer: Answer): Verdict {
  expect(answer).toMatchObject({ code: 0, error: undefined });
  const { hookSpecificOutput: said, ...rest } = JSON.parse(answer.output ?? "");
  expect(rest).toEqual({});
  return said
    ? { decision: said.permissionDecision, reason: said.permissionDecisionReason }
    : { decision: "none", reason: "" };
}

export function judge(command: unknown, config: Config = {}): Verdict {
  const event = { abi: 1, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
  return read(callGuard(guard, JSON.stringify(event), config));
}

export const fixtures: readonly Fixture[] = fixtureList;
