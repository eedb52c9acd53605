import { beforeAll, describe, expect, test } from "vitest";
import { sampleOf } from "../helpers/tier.ts";
import { ENDLESS } from "./attacks.ts";
import { SPINNING_ATTACKS } from "./granted/spinning.ts";
import { type AttackReport, runAttacks } from "./run-attacks.ts";

/** With a deadline of a minute, endless guests have to end by fuel: V8 does not interrupt all of them. */

/**
 * Times the duration of burning the same fuel by counting. No instruction may cost more time than that for its fuel.
 */
const DEAREST = 40;

const ALL = sampleOf(
  [...ENDLESS, ...SPINNING_ATTACKS],
  4,
  ({ ends, grants }) => `${JSON.stringify(ends)} ${grants !== undefined}`,
);

describe("with a deadline of a minute", () => {
  let report: AttackReport;

  beforeAll(async () => {
    report = await runAttacks({
      attacks: ALL,
      boundary: "thread",
      timeoutMs: 60_000,
      ordinary: [],
      threads: 1,
      lanes: 1,
      seed: 1,
      isWatched: false,
    });
  }, 120_000);

  test.each(ALL)("$name ends by fuel in about the time that its fuel takes", ({ name, ends }) => {
    const outcome = report.outcomes.find((one) => one.name === name);
    expect(outcome).toMatchObject({ decision: "deny", ...ends });
    expect(outcome?.ms).toBeLessThan(DEAREST * report.burnMs);
  });
});
