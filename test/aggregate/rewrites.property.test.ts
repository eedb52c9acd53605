import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { Judgement } from "../../src/aggregate/judgement.ts";
import { Rewrites } from "../../src/aggregate/rewrites.ts";
import type { JsonObject } from "../../src/event.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf } from "../../src/events/lookup.ts";
import fc from "../helpers/fc.ts";
import { makeEvent } from "../helpers/rules.ts";
import { abstains, own, says } from "./judgements.ts";

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

const judgementsFor = (list: readonly (JsonObject | null)[]): Judgement[] =>
  list.map((updatedInput, at) =>
    updatedInput === null ? abstains(own(`r${at}`)) : says(own(`r${at}`), { updatedInput }),
  );

const eventWith = (input: JsonObject) => makeEvent("PreToolUse", { tool_name: "X", tool_input: input });

test("patches of rules in a row come to the shallow merge of all", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const result = Rewrites.of(eventWith(input), row("sequential", "patch"), judgementsFor(list));
      const given = list.filter((one) => one !== null);
      expect(result.input).toEqual(given.length === 0 ? undefined : Object.assign({}, input, ...given));
    }),
  );
});

test("patches of rules side by side come to those of rules in a row, but for what is handed back as it came", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const changes = list.map((patch) =>
        patch === null
          ? null
          : Object.fromEntries(Object.entries(patch).filter(([key, value]) => !isDeepStrictEqual(input[key], value))),
      );
      const together = Rewrites.of(eventWith(input), row("parallel", "patch"), judgementsFor(list));
      const inTurn = Rewrites.of(eventWith(input), row("sequential", "patch"), judgementsFor(changes));
      expect(together.input).toEqual(inTurn.input);
    }),
  );
});

test("of replacements side by side the last counts that is not the original", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const result = Rewrites.of(eventWith(input), row("parallel", "replace"), judgementsFor(list));
      const last = list.findLast((one) => one !== null && !isDeepStrictEqual(one, input));
      expect(result.changedInput).toEqual(last ?? undefined);
    }),
  );
});

test("whose rewrite does not reach the result is told so, and nobody else", () => {
  fc.assert(
    fc.property(object, rewrites, (input, list) => {
      const judgements = judgementsFor(list);
      const result = Rewrites.of(eventWith(input), row("parallel", "replace"), judgements);
      for (const [at, judgement] of judgements.entries()) {
        const rewrite = list[at];
        const isReal = rewrite !== null && !isDeepStrictEqual(rewrite, input);
        if (isReal && !isDeepStrictEqual(rewrite, result.changedInput))
          expect(result.notesOn(judgement)).not.toEqual([]);
        else expect(result.notesOn(judgement)).toEqual([]);
      }
    }),
  );
});

test("no rewriting changes what it is given", () => {
  const modes = fc.tuple(fc.constantFrom("parallel", "sequential"), fc.constantFrom("replace", "patch"));
  fc.assert(
    fc.property(object, rewrites, modes, (input, list, [order, mode]) => {
      const before = structuredClone({ input, list });
      void Rewrites.of(eventWith(input), row(order as "parallel", mode as "patch"), judgementsFor(list)).event;
      expect({ input, list }).toEqual(before);
    }),
  );
});
