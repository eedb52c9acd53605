import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Answer, Config } from "./bare-host.ts";

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

export function fixturesOf(guard: string): readonly Fixture[] {
  return JSON.parse(readFileSync(new URL(`../../plugins/${guard}/fixtures.json`, import.meta.url), "utf8"));
}

/** Returns the decision of an answer, in any of the events' spellings. */
export function read(answer: Answer): Verdict {
  expect(answer).toMatchObject({ code: 0, error: undefined });
  const { hookSpecificOutput: said, systemMessage: _, ...rest } = JSON.parse(answer.output ?? "");
  if (rest.decision === "block") return { decision: "deny", reason: rest.reason };
  expect(rest).toEqual({});
  if (said === undefined) return { decision: "none", reason: "" };
  if (said.decision !== undefined) return { decision: said.decision.behavior, reason: said.decision.message ?? "" };
  // A rewrite decides nothing.
  return { decision: said.permissionDecision ?? "none", reason: said.permissionDecisionReason ?? "" };
}
