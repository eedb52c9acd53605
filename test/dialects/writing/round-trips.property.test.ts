import { expect, test } from "vitest";
import type { Loss } from "../../../src/cli/convert/loss.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { Rule } from "../../../src/rule.ts";
import fc from "../../helpers/fc.ts";
import { CONFIGS, payloads, WITH_READERS } from "./configs.ts";
import { askedAbout, byPointer, convertTo, read, summaryOf } from "./conversions.ts";

/** Few runs for each pair of agents, because there are many pairs. */
const RUNS = { numRuns: 8 };
const EVENTS = fc.sample(payloads as fc.Arbitrary<JsonObject>, { numRuns: 1_000, seed: 7 });

const errorsIn = (problems: readonly { readonly severity: string }[]) =>
  problems.filter(({ severity }) => severity === "error");

/** Returns the losses that were reported for a rule. */
const lossesOf = (losses: readonly Loss[], rule: Rule | undefined): Loss[] =>
  losses.filter(({ place }) => place?.pointer !== undefined && place.pointer === rule?.place?.pointer);

function isNamedAsBroken(rule: Rule, losses: readonly Loss[]): boolean {
  if (rule.handler.type !== "broken") return false;
  expect(lossesOf(losses, rule)).toMatchObject([{ what: "the whole hook" }]);
  return true;
}

/** Whether one of two sets of rules can replace the other, for a thousand events. */
function areAlike(one: Rule, others: readonly Rule[], dialect: string): boolean {
  const summary = JSON.stringify(summaryOf(one));
  if (others.length === 0 || others.some((other) => JSON.stringify(summaryOf(other)) !== summary)) return false;
  return askedAbout([one], dialect, EVENTS) === askedAbout(others, dialect, EVENTS);
}

test.each(WITH_READERS)("converts every hook of %s into hookbox's own format and back", async (dialect) => {
  await fc.assert(
    fc.asyncProperty(CONFIGS[dialect], async (config) => {
      const source = await read(dialect, JSON.stringify(config));
      const there = await convertTo("hookbox", source);
      expect(errorsIn(there.read.problems)).toEqual([]);
      const back = await convertTo(dialect, there.read);
      expect(errorsIn(back.read.problems)).toEqual([]);
      const inOwn = byPointer(there.read.rules);
      const carriedBack = new Map(back.carried.map(({ rule, as }) => [rule, as]));
      for (const { rule, as } of there.carried) {
        if (isNamedAsBroken(rule, there.losses)) continue;
        const own = as.map(({ place }) => inOwn.get(place?.pointer) as Rule);
        const final = own.flatMap((one) => carriedBack.get(one) ?? []);
        const said = [...lossesOf(there.losses, rule), ...own.flatMap((one) => lossesOf(back.losses, one))];
        expect(areAlike(rule, final, dialect), JSON.stringify([rule, final, said])).toBe(true);
        // Our own dialect is what a hookbox hook loses where another agent's is kept.
        expect(said.filter(({ what }) => what !== "duplicate")).toEqual([]);
      }
    }),
    RUNS,
  );
});

const PAIRS = WITH_READERS.flatMap((one) =>
  WITH_READERS.filter((other) => other !== one && other !== "hookbox").map((other) => [one, other] as const),
);

test.each(PAIRS)("reports every hook of %s that differs after a conversion over %s", async (dialect, over) => {
  let carried = 0;
  await fc.assert(
    fc.asyncProperty(CONFIGS[dialect], async (config) => {
      const source = await read(dialect, JSON.stringify(config));
      const there = await convertTo(over, source);
      expect(errorsIn(there.read.problems)).toEqual([]);
      const back = await convertTo(dialect, there.read);
      expect(errorsIn(back.read.problems)).toEqual([]);
      const inOther = byPointer(there.read.rules);
      const carriedBack = new Map(back.carried.map(({ rule, as }) => [rule, as]));
      for (const { rule, as } of there.carried) {
        if (isNamedAsBroken(rule, there.losses)) continue;
        const others = as.map(({ place }) => inOther.get(place?.pointer) as Rule);
        const final = others.flatMap((one) => carriedBack.get(one) ?? []);
        carried += final.length;
        if (areAlike(rule, final, dialect)) continue;
        const said = [...lossesOf(there.losses, rule), ...others.flatMap((one) => lossesOf(back.losses, one))];
        const named = said.filter(({ what }) => what !== "language");
        const onlyLanguage = isOnlyLanguage(rule, final);
        expect(onlyLanguage ? said : named, JSON.stringify([rule, final, said])).not.toEqual([]);
      }
    }),
    RUNS,
  );
  expect(carried).toBeGreaterThan(0);
});

/** Whether the rules differ only in the dialect of the hook, and in that agent's defaults. */
function isOnlyLanguage(one: Rule, others: readonly Rule[]): boolean {
  const bare = (rule: Rule) => JSON.stringify({ ...summaryOf(rule), dialect: "", codec: "", onFailure: null });
  return others.length > 0 && others.every((other) => bare(other) === bare(one));
}
