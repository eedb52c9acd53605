import type { HookEvent, JsonObject } from "../../event.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Decision, Failure, RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { runBounded } from "../bounded-run.ts";
import type { RunOptions } from "../executor.ts";
import type { Fixture } from "./manifest-schema.ts";

/** A guard's own tests: events that its author has put into the module, and what it must say to them. */
export interface FixtureResult {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: FixtureExpectation;
  readonly actual: FixtureAnswer;
  /** What the guard used, in units of the cost model; 0 where nothing was run. */
  readonly fuel: number;
  /** What was expected and what came, in one line, where they differ. */
  readonly message?: string;
}

export interface FixtureExpectation {
  readonly decision: Fixture["decision"];
  /** What the reason must contain. */
  readonly reason?: string;
}

/** What the guard said, or how it failed. */
export type FixtureAnswer =
  | { readonly decision: Decision | "none"; readonly reason?: string }
  | { readonly failure: Failure };

/** Whatever makes a call of a guard. `maxFuel` holds beside the limits of the rule. */
export interface FixtureCaller {
  run(rule: Rule, event: HookEvent, options: RunOptions & { readonly maxFuel: number }): Promise<RunResult>;
}

/**
 * All fixtures of a module together. They are run before the first event, so a manifest full of tests that each burn
 * all that a rule allows would hold an engine for minutes.
 */
export const MAX_FIXTURES_FUEL = 1_000_000_000;

/** All of them together, once a thread has the first: where a machine is too busy for any limit that counts work. */
const MAX_FIXTURES_MS = 30_000;

/**
 * A deadline that a busy machine misses says nothing of a guard, and the first fixture waits for a thread to start.
 * Fuel is the limit that says the same everywhere.
 */
const LEAST_TIMEOUT_MS = 5_000;

/** Judged as if asked by nobody in particular: fixtures are the same under every agent. */
const DIALECT = "hookbox";

/** Runs them one after the other with the rule's limits, and each fixture's own configuration. Never rejects. */
export async function runFixtures(
  caller: FixtureCaller,
  rule: Rule,
  fixtures: readonly Fixture[],
): Promise<readonly FixtureResult[]> {
  const results: FixtureResult[] = [];
  for await (const result of eachFixture(caller, rule, fixtures)) results.push(result);
  return results;
}

/** The same, for whoever stops at the first that fails, or goes on where an earlier process has left off. */
export async function* eachFixture(
  caller: FixtureCaller,
  rule: Rule,
  fixtures: readonly Fixture[],
  fuelUsed = 0,
): AsyncGenerator<FixtureResult, void, void> {
  const begun = performance.now();
  const configured = rulesByConfig(rule);
  let fuelLeft = MAX_FIXTURES_FUEL - fuelUsed;
  for (const fixture of fixtures) {
    const late = performance.now() - begun > MAX_FIXTURES_MS;
    const result = late
      ? failed(fixture, { kind: "timeout", message: TOO_LATE, limit: MAX_FIXTURES_MS })
      : await runFixture(caller, configured(fixture), fixture, fuelLeft);
    fuelLeft -= result.fuel;
    yield result;
  }
}

const TOO_LATE = `the fixtures before it took more than ${MAX_FIXTURES_MS} ms together`;

/** Rules that are one object are one setup to the threads. */
function rulesByConfig(rule: Rule): (fixture: Fixture) => Rule {
  const rules = new Map<string, Rule>();
  const timeoutMs = Math.max(rule.timeoutMs, LEAST_TIMEOUT_MS);
  return ({ event, config = {} }) => {
    const key = JSON.stringify([event.hook_event_name, config]);
    let configured = rules.get(key);
    if (configured === undefined) {
      const handler = rule.handler.type === "wasm" ? { ...rule.handler, config: config as JsonObject } : rule.handler;
      configured = { ...rule, event: event.hook_event_name, timeoutMs, handler };
      rules.set(key, configured);
    }
    return configured;
  };
}

async function runFixture(
  caller: FixtureCaller,
  rule: Rule,
  fixture: Fixture,
  fuelLeft: number,
): Promise<FixtureResult> {
  const event = eventOf(fixture);
  if ("kind" in event) return failed(fixture, event);
  const executor = {
    type: "wasm" as const,
    run: (one: Rule, event: HookEvent, options: RunOptions) =>
      caller.run(one, event, { ...options, maxFuel: fuelLeft }),
    close: () => Promise.resolve(),
  };
  const result = await runBounded(executor, rule, event, performance.now(), undefined);
  const fuel = result.receipt.fuel ?? 0;
  if (!result.ok) return failed(fixture, spentByAll(result.failure, fuelLeft), fuel);
  const { decision: said = "none", reason } = result.reply;
  // Events have words of their own for "no", and an author writes `deny` for all of them.
  const decision = said === "block" ? "deny" : said;
  const actual: FixtureAnswer = { decision, ...(reason === undefined ? {} : { reason }) };
  return judged(fixture, actual, fuel);
}

/** The event that a fixture asks about, or why an engine would refuse it: no guard would be asked. */
export function eventOf({ event: payload }: Fixture): HookEvent | Failure {
  const name = payload.hook_event_name;
  const contract = contractOf(name, DIALECT);
  if (contract === undefined)
    return { kind: "unavailable", code: "HOOK_EVENT_UNKNOWN", message: `there is no event "${name}"` };
  const missing = contract.required.find((field) => typeof payload[field] !== "string");
  if (missing !== undefined) {
    const message = `${name}: the event needs a "${missing}" that is a string`;
    return { kind: "unavailable", code: "HOOK_PAYLOAD_INVALID", message };
  }
  return { name, dialect: DIALECT, payload: payload as JsonObject };
}

function spentByAll(failure: Failure, fuelLeft: number): Failure {
  if (failure.kind !== "fuel" || failure.limit !== fuelLeft) return failure;
  return {
    kind: "fuel",
    message: `all fixtures together may use ${MAX_FIXTURES_FUEL} fuel, and ${fuelLeft} were left for it`,
    limit: MAX_FIXTURES_FUEL,
    value: MAX_FIXTURES_FUEL - fuelLeft + (failure.value ?? 0),
  };
}

function expectationOf({ decision, reason }: Fixture): FixtureExpectation {
  return { decision, ...(reason === undefined ? {} : { reason }) };
}

function failed(fixture: Fixture, failure: Failure, fuel = 0): FixtureResult {
  return {
    name: fixture.name,
    passed: false,
    expected: expectationOf(fixture),
    actual: { failure },
    fuel,
    message:
      failure.code === "HOOK_EVENT_UNKNOWN"
        ? failure.message
        : `expected ${fixture.decision}, and it failed: ${failure.kind}: ${failure.message}`,
  };
}

function judged(
  fixture: Fixture,
  actual: { readonly decision: Decision | "none"; readonly reason?: string },
  fuel: number,
): FixtureResult {
  const { name, decision, reason } = fixture;
  const found = { name, expected: expectationOf(fixture), actual, fuel };
  if (actual.decision !== decision)
    return { ...found, passed: false, message: `expected ${decision}, and it said ${actual.decision}` };
  const because = actual.reason ?? "";
  if (reason === undefined || because.includes(reason)) return { ...found, passed: true };
  return { ...found, passed: false, message: `expected a reason with "${reason}", and it said "${because}"` };
}
