import { expect, test } from "vitest";
import { residentLoad, slowdown, sumOf } from "./resident.ts";
import { percentile } from "./under-load.ts";

const MOST_SLOWDOWN = 3;
/** The third of three equal phases is compared with the second one. */
const MOST_GROWTH = 1.15;
const MB = 1_048_576;

test("a resident server answers 8,000 calls of four agents rightly, at most three times as slowly, in the same memory", async () => {
  const report = await residentLoad({ quiet: 2_000, faulty: 3_000, blocks: 20, phase: 1_000, faultEvery: 12 });
  const { quietMs, faultyMs, memory, faults, calls, unjudged, resent } = report;
  const figures = [quietMs, faultyMs].map((all) =>
    [50, 90, 99, 100].map((percent) => Math.round(percentile(all, percent))).join(", "),
  );
  const used = memory.map(({ heapUsed, rss }) => `${Math.round(heapUsed / MB)} of ${Math.round(rss / MB)}`).join(", ");
  process.stdout.write(
    `${calls} calls; not judged: ${JSON.stringify(unjudged)}; web hooks sent again ${resent} times; faults: ${JSON.stringify(faults)}
milliseconds at p50, p90, p99, p100: quiet ${figures[0]}; with faults ${figures[1]}; p99 is ${slowdown(report).toFixed(2)} times as long
MiB of heap and of memory after equal phases: ${used}\n`,
  );
  expect(calls).toBe(8_000);
  expect(sumOf(unjudged)).toBeLessThan(calls / 100);
  expect(slowdown(report)).toBeLessThanOrEqual(MOST_SLOWDOWN);
  const [, second, third] = memory;
  for (const kind of ["heapUsed", "rss"] as const)
    expect(third?.[kind], kind).toBeLessThan((second?.[kind] ?? 0) * MOST_GROWTH);
});
