import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HookEvent } from "../../src/event.ts";
import { ownerOf, sessionOf } from "../../src/executors/wasm/calls/guard-calls.ts";
import type { WasmRule } from "../../src/executors/wasm/wasm-rule.ts";
import { type LockedState, SessionState } from "../../src/sandbox/grants/session-state.ts";
import { DiskStateStore } from "../../src/state/locked-state-store.ts";
import { countingRule, eventOf } from "../executors/wasm/counting-guest.ts";
import { deadline } from "../executors/wasm/wasm-rule.ts";
import fc from "../helpers/fc.ts";

/**
 * For any calls in any order, state variables on disk equal those in memory. The store on disk is a new one for each
 * call, as in a process for each event.
 */

type Changes = readonly (readonly [string, Uint8Array | null])[];
type Ending = "saves" | "fails" | "is late" | "is late while it saves";
type Step =
  | {
      readonly kind: "call";
      readonly rule: number;
      readonly session: string;
      readonly changes: Changes;
      readonly ending: Ending;
    }
  | { readonly kind: "end"; readonly session: string };

const CAPS = { maxKeys: 3, maxBytes: 64 };
const rules = [0, 1].map((at) => {
  const rule = countingRule("answers", { handler: { grants: { state: CAPS } } });
  return { ...rule, layer: at === 0 ? ("user" as const) : ("project" as const) } as WasmRule;
});

const key = fc.oneof(fc.constantFrom("a", "b", "c", "d"), fc.string({ unit: "binary", maxLength: 3 }));
const value = fc.option(fc.uint8Array({ maxLength: 40 }), { freq: 3 });
const session = fc.constantFrom("s", "t", "../s", "\ud800");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      rule: fc.nat({ max: 1 }),
      session,
      changes: fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([one]) => one }),
      ending: fc.constantFrom<Ending>("saves", "saves", "saves", "fails", "is late", "is late while it saves"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("end" as const), session }) },
);

const shown = (values: ReadonlyMap<string, Uint8Array>): object =>
  Object.fromEntries([...values].sort().map(([name, bytes]) => [name, [...bytes]]));

async function call(state: SessionState, { rule, session, changes, ending }: Extract<Step, { kind: "call" }>) {
  const { signal, pass } = deadline();
  const turn = (await state.enter(
    ownerOf(rules[rule] as WasmRule, eventOf(session) as HookEvent),
    CAPS,
    signal,
  )) as LockedState;
  const seen = shown(turn.values);
  let failure: unknown;
  if (ending === "is late") pass();
  if (ending === "saves" || ending === "is late") failure = (await turn.save(changes))?.kind;
  if (ending === "is late while it saves") {
    const saving = turn.save(changes);
    pass();
    failure = (await saving)?.kind;
  }
  turn.end();
  await state.settled();
  return { seen, failure };
}

test("state variables on disk equal those in memory, for any calls and any way of ending them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "hookbox-stores-"));
      const memory = new SessionState();
      const onDisk = (): SessionState => new SessionState({ store: new DiskStateStore(folder) });
      try {
        for (const one of steps) {
          if (one.kind === "end") {
            const disk = onDisk();
            for (const state of [memory, disk]) state.sessionEnded(sessionOf(eventOf(one.session)));
            await disk.settled();
            continue;
          }
          // A store in memory saves immediately and is never late; what is late on disk must not have been saved.
          const late = one.ending === "is late while it saves";
          const real = await call(onDisk(), one);
          if (late) expect(real.failure).toBeDefined();
          const expected = await call(memory, late ? { ...one, ending: "fails" } : one);
          expect(real.seen).toEqual(expected.seen);
          if (!late) expect(real.failure).toEqual(expected.failure);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 40 },
  );
});
