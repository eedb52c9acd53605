import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { Rewrites } from "../../src/aggregate/rewrites.ts";
import type { RuleOutcome } from "../../src/aggregate/rule-outcome.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf } from "../../src/events/lookup.ts";
import type { JsonObject } from "../../src/json.ts";
import fc from "../helpers/fc.ts";
import { makeEvent } from "../helpers/rules.ts";
import { abstains, own, says } from "./rule-outcomes.ts";

const row = (order: EventContract["order"], rewriteMode: EventContract["rewriteMode"]): EventContract => ({
  ...contractOf("PreToolUse", "claude-code")!,
  order,
  rewriteMode,
});

const keys = fc.constantFrom("a", "b", "c", "d");
const object: fc.Arbitrary<JsonObject> = fc.dictionary(keys, fc.constantFrom(1, 2, "x", null), {
  maxKeys: 4,
  noNullPrototype: true,
});
const rewrites = fc.array(fc.option(object), { maxLength: 6 });

const outcomesFor = (list: readonly (JsonObject | null)[]): RuleOutcome[] =>
  list.map((updatedInput, at) =>
    updatedInput === null ? abstains(own(`r${at}`)) : says(own(`r${at}`), { updatedInput }),
  );

const eventWith = (input: JsonObject) => makeEvent("PreToolUse", { tool_name: "X", tool_input: input });

test("the patches of sequential rules result in the shallow merge of all", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const result = Rewrites.of(eventWith(input), row("sequential", "patch"), outcomesFor(list));
      const given = list.filter((one) => one !== null);
      expect(result.input).toEqual(given.length === 0 ? undefined : Object.assign({}, input, ...given));
    }),
  );
});

test("patches of parallel rules result in the same as those of sequential rules, except for returned originals", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const changes = list.map((patch) =>
        patch === null
          ? null
          : Object.fromEntries(Object.entries(patch).filter(([key, value]) => !isDeepStrictEqual(input[key], value))),
      );
      const together = Rewrites.of(eventWith(input), row("parallel", "patch"), outcomesFor(list));
      const inTurn = Rewrites.of(eventWith(input), row("sequential", "patch"), outcomesFor(changes));
      expect(together.input).toEqual(inTurn.input);
    }),
  );
});

test("the last of several parallel replacements that is not the original counts", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const result = Rewrites.of(eventWith(input), row("parallel", "replace"), outcomesFor(list));
      const last = list.findLast((one) => one !== null && !isDeepStrictEqual(one, input));
      expect(result.changedInput).toEqual(last ?? undefined);
    }),
  );
});

test("only a rule whose rewrite has no effect is reported as such", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const ruleOutcomes = outcomesFor(list);
      const result = Rewrites.of(eventWith(input), row("parallel", "replace"), ruleOutcomes);
      for (const [at, ruleOutcome] of ruleOutcomes.entries()) {
        const rewrite = list[at];
        const isReal = rewrite !== null && !isDeepStrictEqual(rewrite, input);
        if (isReal && !isDeepStrictEqual(rewrite, result.changedInput))
          expect(result.notesOn(ruleOutcome)).not.toEqual([]);
        else expect(result.notesOn(ruleOutcome)).toEqual([]);
      }
    }),
  );
});

test("no rewrite changes its argument", () => {
  const modes = fc.tuple(fc.constantFrom("parallel", "sequential"), fc.constantFrom("replace", "patch"));
  fc.assert(
    fc.property(object, rewrites, modes, (input, list, [order, mode]) => {
      const before = structuredClone({ input, list });
      void Rewrites.of(eventWith(input), row(order as "parallel", mode as "patch"), outcomesFor(list)).event;
      expect({ input, list }).toEqual(before);
    }),
  );
});
