import { describe, expect, test } from "vitest";
import { changesBetween } from "../../src/cli/lock/changes.ts";
import type { LockEntries, LockEntry } from "../../src/config/lockfile.ts";
import fc from "../helpers/fc.ts";

const word = fc.constantFrom("alpha", "beta", "gamma", "toString", "__proto__");
const words = fc.uniqueArray(word);
const bytes = fc.nat(3);

const entry: fc.Arbitrary<LockEntry> = fc.record({
  sha256: fc.constantFrom("0".repeat(64), "1".repeat(64)),
  imports: words,
  bytes,
  capabilities: words,
  memory: fc.option(fc.record({ initialBytes: bytes, maximumBytes: fc.option(bytes) })),
  manifest: fc.option(
    fc.record({ name: word, config: fc.record({ type: word }) }, { requiredKeys: [] }),
  ) as fc.Arbitrary<LockEntry["manifest"]>,
  fixtures: bytes,
  may: words,
  limits: fc.dictionary(word, bytes),
});
const entries: fc.Arbitrary<LockEntries> = fc.dictionary(word, entry);

const MIRRORED = { new: "removed", removed: "new", changed: "changed", same: "same", unfit: "unfit" } as const;

describe("the changes between two lock files", () => {
  test("are none between one and itself, or a copy of it", () => {
    fc.assert(
      fc.property(entries, (all) => {
        for (const other of [all, structuredClone(all)]) {
          const changes = changesBetween(all, other);
          expect(changes.map(({ module }) => module)).toEqual(Object.keys(all).sort());
          expect(changes.filter(({ change, differences }) => change !== "same" || differences.length > 0)).toEqual([]);
        }
      }),
    );
  });

  test("are the same in the other direction, with before and after exchanged", () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const there = changesBetween(before, after);
        const back = changesBetween(after, before);
        const mirrored = back.map(({ module, change, differences }) => ({
          module,
          change: MIRRORED[change],
          differences: differences.map((one) => ({ what: one.what, before: one.after, after: one.before })),
        }));
        const sorted = (changes: typeof there): unknown =>
          changes.map((one) => ({
            ...one,
            differences: [...one.differences].sort((a, b) => (a.what < b.what ? -1 : 1)),
          }));
        expect(sorted(there)).toEqual(sorted(mirrored));
      }),
    );
  });

  test("always include another digest or another import", () => {
    fc.assert(
      fc.property(entry, word, (before, added) => {
        const digest = changesBetween({ m: before }, { m: { ...before, sha256: "f".repeat(64) } });
        expect(digest[0]?.differences.map(({ what }) => what)).toEqual(["sha256"]);
        const name = `env ${added}`;
        const more = changesBetween({ m: before }, { m: { ...before, imports: [...before.imports, name] } });
        expect(more[0]).toMatchObject({
          change: "changed",
          differences: [{ what: "imports", before: "", after: name }],
        });
      }),
    );
  });

  test("do not depend on the order of imports", () => {
    fc.assert(
      fc.property(entry, (one) => {
        const reversed = { ...one, imports: one.imports.toReversed(), may: one.may.toReversed() };
        expect(changesBetween({ m: one }, { m: reversed })[0]?.change).toBe("same");
      }),
    );
  });

  test("are found in hand-written entries, whatever other fields they have", () => {
    fc.assert(
      fc.property(entry, fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue()), (good, odd) => {
        const before = { ...good, ...odd } as unknown as LockEntry;
        expect(changesBetween({ m: before }, { m: good })).toHaveLength(1);
      }),
    );
  });
});

const FIELDS = ["bytes", "capabilities", "memory", "manifest", "fixtures", "may", "limits"] as const;
