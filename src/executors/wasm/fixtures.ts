import type { JsonObject } from "../../event.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Rule } from "../../rule.ts";
import { runBounded } from "../bounded-run.ts";
import type { Executor } from "../executor.ts";
import type { Fixture } from "./manifest-schema.ts";

/** A guard's own tests: events that its author has put into the module, and what it must say to them. */
export interface FixtureResult {
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what came, where they differ. */
  readonly message?: string;
}

/**
 * A deadline that a busy machine misses says nothing of a guard, and the first fixture waits for a thread to start.
 * Fuel is the limit that says the same everywhere.
 */
const LEAST_TIMEOUT_MS = 10_000;

/** Runs them one after the other with the rule's limits, and each fixture's own configuration. */
export async function runFixtures(
  executor: Executor,
  rule: Rule,
  fixtures: readonly Fixture[],
): Promise<readonly FixtureResult[]> {
  const results: FixtureResult[] = [];
  if (fixtures.length > 0) await executor.prepare?.(rule);
  for (const fixture of fixtures) {
    const message = await flawOf(executor, rule, fixture);
    results.push({ name: fixture.name, passed: message === undefined, ...(message === undefined ? {} : { message }) });
  }
  return results;
}

/** Judged as if asked by nobody in particular: fixtures are the same under every agent. */
const DIALECT = "hookbox";

async function flawOf(executor: Executor, rule: Rule, fixture: Fixture): Promise<string | undefined> {
  const { event: payload, decision, reason, config } = fixture;
  const name = payload.hook_event_name;
  if (contractOf(name, DIALECT) === undefined) return `there is no event "${name}"`;
  const timeoutMs = Math.max(rule.timeoutMs, LEAST_TIMEOUT_MS);
  const configured: Rule =
    rule.handler.type === "wasm"
      ? { ...rule, event: name, timeoutMs, handler: { ...rule.handler, config: (config ?? {}) as JsonObject } }
      : { ...rule, timeoutMs };
  const event = { name, dialect: DIALECT, payload: payload as JsonObject };
  const result = await runBounded(executor, configured, event, performance.now(), undefined);
  if (!result.ok) return `expected ${decision}, and it failed: ${result.failure.kind}: ${result.failure.message}`;
  const said = result.reply.decision ?? "none";
  if (said !== decision) return `expected ${decision}, and it said ${said}`;
  const because = result.reply.reason ?? "";
  return reason === undefined || because.includes(reason)
    ? undefined
    : `expected a reason with "${reason}", and it said "${because}"`;
}
