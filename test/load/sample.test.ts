import { expect, test } from "vitest";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";
import { HARMLESS, loadedMachine, percentile } from "./under-load.ts";

test("a busy machine with an empty cache refuses no harmless call, and names the cause of each failing guard", async () => {
  const machine = await loadedMachine({ burners: times(3, 1), authors: 1 });
  const random = new Random(SEED);
  const commands = random.times(times(3, 1), () => random.pick(HARMLESS));
  await Promise.all(commands.map((command) => machine.harmless(command)));
  await machine.failing();
}, 240_000);

test("a percentile is a sample that so many percent do not exceed", () => {
  const samples = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect([50, 99, 100].map((percent) => percentile(samples, percent))).toEqual([100, 198, 200]);
  expect(percentile([7], 99)).toBe(7);
});
