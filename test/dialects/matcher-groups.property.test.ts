import { describe, expect, test } from "vitest";
import { HOOKBOX_HANDLERS } from "../../src/dialects/hookbox/schema.ts";
import { EVENT_NAMES, isEventOf } from "../../src/events/lookup.ts";
import { isJsonObject } from "../../src/json.ts";
import type { Rule } from "../../src/rule.ts";
import fc from "../helpers/fc.ts";
import { FORMATS, type Format, parse } from "./parse.ts";

type Hook = Record<string, unknown>;
interface Group {
  readonly matcher?: string;
  readonly hooks: readonly unknown[];
}
type Hooks = Record<string, readonly unknown[]>;

const hook: fc.Arbitrary<Hook> = fc.record(
  {
    type: fc.constant("command"),
    command: fc.string({ minLength: 1 }),
    args: fc.array(fc.string(), { maxLength: 2 }),
    timeout: fc.integer({ min: 1, max: 600 }),
    onFailure: fc.constantFrom("block", "continue"),
    async: fc.boolean(),
  },
  { requiredKeys: ["type", "command"] },
);

const group: fc.Arbitrary<Group> = fc.record(
  {
    matcher: fc.constantFrom("Bash", "Edit|Write", "mcp__.*", "*", ""),
    hooks: fc.array(hook, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["hooks"] },
);

// Hooks at a session's end share one budget, so one hook's timeout affects the others there.
const EVENTS = EVENT_NAMES.filter((name) => isEventOf(name, "claude-code") && name !== "SessionEnd");

const validHooks: fc.Arbitrary<Hooks> = fc
  .uniqueArray(fc.constantFrom(...EVENTS), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((events) =>
    fc.record(Object.fromEntries(events.map((event) => [event, fc.array(group, { minLength: 1, maxLength: 3 })]))),
  );

const keys = fc.constantFrom(
  ...new Set(Object.values(HOOKBOX_HANDLERS).flatMap((shape) => Object.keys(shape))),
  "matcher",
  "tiemout",
  "__proto__",
);
const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("command", "wasm", "http", "prompt", "x", true, false, -1, ""),
  fc.constant({ toString: null }),
);

/** A change of one hook: another value, or a key that is added, removed or changed. */
type Mutation =
  | { readonly value: unknown }
  | { readonly key: string; readonly value: unknown }
  | { readonly key: string };
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ value: anything }) },
  { weight: 4, arbitrary: fc.record({ key: keys, value: anything }) },
  { weight: 1, arbitrary: fc.record({ key: keys }) },
);

function mutate(hook: Hook, mutation: Mutation): unknown {
  if (!("key" in mutation)) return mutation.value;
  const others = Object.entries(hook).filter(([name]) => name !== mutation.key);
  return Object.fromEntries("value" in mutation ? [...others, [mutation.key, mutation.value]] : others);
}

interface Position {
  readonly event: string;
  readonly group: number;
  readonly hook: number;
}

function positionsIn(hooks: Hooks): Position[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    (groups as readonly Group[]).flatMap(({ hooks: list }, group) => list.map((_, hook) => ({ event, group, hook }))),
  );
}

const groupAt = (hooks: Hooks, { event, group }: Position) => (hooks[event] ?? [])[group] as Group;
const pointerTo = ({ event, group, hook }: Position) => `/hooks/${event}/${group}/hooks/${hook}`;
const standsIn = (rule: Rule, pointer: string) =>
  rule.place?.pointer === pointer || rule.place?.pointer?.startsWith(`${pointer}/`) === true;

/** Every hook has a rule, or a broken rule at its event that matches at least its tools, or is off. */
function expectNothingLost(hooks: Hooks, rules: readonly Rule[], format: Format): void {
  for (const position of positionsIn(hooks)) {
    const { matcher, hooks: list } = groupAt(hooks, position);
    const written = list[position.hook];
    const found = rules.filter((rule) => standsIn(rule, pointerTo(position)));
    const off = format === "hookbox" && isJsonObject(written) && written["enabled"] === false;
    if (off && found.length === 0) continue;
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ event: position.event, matcher });
  }
}

/** A rule without a name is named after its place. */
const withoutPlace = ({ place: _, name, ...rule }: Rule): object => ({ ...rule, ...(rule.unnamed ? {} : { name }) });

describe.each(FORMATS)("in any valid %s configuration", (format) => {
  test("every hook has its rule, in order", async () => {
    await fc.assert(
      fc.asyncProperty(validHooks, async (hooks) => {
        const { rules, problems } = await parse(format, { hooks });
        expect(problems.filter(({ code }) => code !== "HOOK_CONFIG_INERT")).toEqual([]);
        expect(rules.map(({ place }) => place?.pointer)).toEqual(positionsIn(hooks).map(pointerTo));
        expectNothingLost(hooks, rules, format);
      }),
    );
  });

  test("whatever changes in one hook, the others keep their rules and it is never lost without a problem", async () => {
    await fc.assert(
      fc.asyncProperty(validHooks, fc.nat(), mutation, async (hooks, pick, change) => {
        const positions = positionsIn(hooks);
        const victim = positions[pick % positions.length] as Position;
        const mutated = replaceHook(hooks, victim, change);
        const before = await parse(format, { hooks });
        const after = await parse(format, { hooks: mutated });

        const others = (rules: readonly Rule[]) =>
          rules.filter((rule) => !standsIn(rule, pointerTo(victim))).map(withoutPlace);
        expect(others(after.rules)).toEqual(others(before.rules));
        expectNothingLost(mutated, after.rules, format);

        const broken = after.rules.filter(({ handler }) => handler.type === "broken");
        const errors = after.problems.filter(({ severity }) => severity === "error");
        expect(broken.length > 0).toBe(errors.length > 0);
        for (const { place } of errors) expect(place?.pointer).toContain(pointerTo(victim));
      }),
      { numRuns: 150 },
    );
  });

  test("whatever changes in one group, the others keep their rules and it is never lost without a problem", async () => {
    await fc.assert(
      fc.asyncProperty(validHooks, fc.nat(), anything, async (hooks, pick, value) => {
        const { event, group } = positionsIn(hooks).at(pick % positionsIn(hooks).length) as Position;
        const pointer = `/hooks/${event}/${group}`;
        const mutated = { ...hooks, [event]: (hooks[event] ?? []).with(group, value) };
        const before = await parse(format, { hooks });
        const after = await parse(format, { hooks: mutated });

        const others = (rules: readonly Rule[]) => rules.filter((rule) => !standsIn(rule, pointer)).map(withoutPlace);
        expect(others(after.rules)).toEqual(others(before.rules));
        expect(after.rules.filter((rule) => standsIn(rule, pointer))).toMatchObject([
          { event, matcher: undefined, handler: { type: "broken" } },
        ]);
      }),
    );
  });
});

function replaceHook(hooks: Hooks, position: Position, change: Mutation): Hooks {
  const { event, group, hook } = position;
  const { hooks: list, ...rest } = groupAt(hooks, position);
  const value = mutate(list[hook] as Hook, change);
  return { ...hooks, [event]: (hooks[event] ?? []).with(group, { ...rest, hooks: list.with(hook, value) }) };
}
