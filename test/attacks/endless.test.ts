import { beforeAll, describe, expect, test } from "vitest";
import { sampleOf } from "../helpers/tier.ts";
import { ENDLESS } from "./attacks.ts";
import { SPINNING_ATTACKS } from "./granted/spinning.ts";
import { type Besieged, besiege } from "./siege.ts";

/** With a minute to go, what would never end has to end by itself: V8 does not interrupt all of it. */

/** Over what it takes to burn the same fuel by counting. No instruction may be dearer than that for its price. */
const DEAREST = 40;

const ALL = sampleOf(
  [...ENDLESS, ...SPINNING_ATTACKS],
  4,
  ({ ends, grants }) => `${JSON.stringify(ends)} ${grants !== undefined}`,
);

describe("with a deadline of a minute", () => {
  let report: Besieged;

  beforeAll(async () => {
    report = await besiege({
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

  test.each(ALL)("$name ends by itself in about the time that its fuel is worth", ({ name, ends }) => {
    const outcome = report.outcomes.find((one) => one.name === name);
    expect(outcome).toMatchObject({ decision: "deny", ...ends });
    expect(outcome?.ms).toBeLessThan(DEAREST * report.burnMs);
  });
});
