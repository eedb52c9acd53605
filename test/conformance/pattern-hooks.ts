import type { ConformanceCase, Expectation, Expected, JsonObject, RunCase } from "./case.ts";
import { command } from "./claude-hooks.ts";

/** Short forms of the generic page's configurations. */

export const GENERIC_PAGE = 'The generic page "Hooks and Extension Points"';

/** Returns a file with these hooks in one group of one event. */
export function patternsAt(event: string, ...hooks: readonly JsonObject[]): JsonObject {
  return { hooks_config: { [event]: [{ hooks }] } };
}

/** The same for the tools that the matcher matches. */
export function patternsFor(matcher: string, event: string, ...hooks: readonly JsonObject[]): JsonObject {
  return { hooks_config: { [event]: [{ matcher, hooks }] } };
}

/** One command hook that runs this shell text. */
export function reads(
  id: string,
  title: string,
  text: string,
  expect: RunCase["expect"],
  {
    event = "PreToolUse",
    hook = {},
    ...rest
  }: { event?: string; matrix?: string; hook?: JsonObject; payload?: JsonObject } = {},
): ConformanceCase {
  return { id, title, event, config: (kit) => patternsAt(event, command(kit, "hook", text, hook)), expect, ...rest };
}

export const says = (decision: string, more: { readonly [field: string]: Expected } = {}): Expectation => ({
  verdict: { decision, ...more },
  runs: { hook: 1 },
});

/** The report of an error after which the agent goes on. */
export const isError = (kind: string): Expected => [
  { outcome: "non_blocking_error", onFailure: "continue", failure: { kind } },
];
