import { expect, test } from "vitest";
import { times } from "../helpers/tier.ts";
import { residentLoad, sumOf } from "./resident.ts";

test.runIf(process.platform === "linux")(
  "a resident server answers four agents rightly while it is killed, reloaded and attacked",
  { timeout: 600_000 },
  async () => {
    const report = await residentLoad({
      quiet: times(100, 40),
      faulty: times(300, 140),
      blocks: 2,
      phase: times(100, 40),
      faultEvery: 8,
    });
    expect(report.calls).toBe(times(700, 300));
    expect(Math.min(...Object.values(report.faults))).toBeGreaterThan(0);
    expect(sumOf(report.unjudged)).toBeLessThan(report.calls / 5);
  },
);
