import { Random } from "./random.ts";
import { SEED } from "./seed.ts";

/**
 * How much of a large matrix is run. `npm test` takes a sample, the same for a seed, with some cases of each kind;
 * `HOOKBOX_TESTS=all` (`npm run test:full`) runs every case. A case that is the only one of its kind is in both.
 */
const chosen = process.env["HOOKBOX_TESTS"] ?? "sample";
if (chosen !== "all" && chosen !== "sample") throw new Error(`HOOKBOX_TESTS is "all" or "sample", not "${chosen}"`);

export const RUNS_ALL = chosen === "all";

/** Returns one of `oneIn` cases of each kind, and at least one, in the order of the cases. */
export function sampleOf<Case>(
  cases: readonly Case[],
  oneIn: number,
  kindOf: (one: Case) => string,
  runsAll = RUNS_ALL,
): readonly Case[] {
  if (runsAll) return cases;
  const kinds = new Map<string, Case[]>();
  for (const one of cases) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
  const random = new Random(SEED);
  const kept = new Set(
    [...kinds.values()].flatMap((all) => random.shuffled(all).slice(0, Math.ceil(all.length / oneIn))),
  );
  return cases.filter((one) => kept.has(one));
}

/** How often something is tried in this tier; `all` is the number for the full tier. */
export function times(all: number, sampled: number): number {
  return RUNS_ALL ? all : sampled;
}
