import { describe, expect, test } from "vitest";
import { rewrite } from "../../src/sandbox/admission/rewrite.ts";
import { readModule } from "../../src/wasm-binary/module-binary.ts";
import fc from "../helpers/fc.ts";
import { customSection, guest, moduleWith, sectionsOf, spliced } from "../helpers/guests.ts";
import { admitted, exportsOf, MIB, PAGE } from "./module-requirements.ts";

const MEMORY = 5;

const capped = (module: Uint8Array<ArrayBuffer>, pages: number): Uint8Array<ArrayBuffer> =>
  rewrite(module, readModule(module), { memoryPages: pages, tableEntries: 10_000 }).bytes;

async function growthOf(module: Uint8Array<ArrayBuffer>): Promise<{ initial: number; grown: number }> {
  const { instance } = await WebAssembly.instantiate(module, {});
  const memory = instance.exports["memory"] as WebAssembly.Memory;
  const initial = memory.buffer.byteLength / PAGE;
  for (let step = 16_384; step >= 1; step /= 2) {
    for (let more = true; more; ) {
      try {
        memory.grow(step);
      } catch {
        more = false;
      }
    }
  }
  return { initial, grown: memory.buffer.byteLength / PAGE };
}

describe("a capped memory", () => {
  test.each([1, 2, 127, 128, 129, 255, 256, 300])("grows to exactly %i pages", async (pages) => {
    const module = capped(moduleWith('(memory (export "memory") 1)'), pages);
    expect(WebAssembly.validate(module)).toBe(true);
    expect(await growthOf(module)).toEqual({ initial: 1, grown: pages });
  });

  test("keeps the sections that no limit, counter or export of ours changes", () => {
    const module = guest("looks-for-leftovers");
    const result = capped(module, 300);
    const changed = new Set([MEMORY, 4, 6, 7, 10]);
    const kept = (file: Uint8Array): string[] =>
      sectionsOf(file)
        .filter(({ id }) => !changed.has(id))
        .map(({ start, end }) => Buffer.from(file.subarray(start, end)).toString("hex"));
    expect(kept(module).length).toBeGreaterThan(2);
    expect(kept(result)).toEqual(kept(module));
  });

  test("does not change the bytes that it was made from", () => {
    const module = guest("looks-for-leftovers");
    const before = module.slice();
    capped(module, 3);
    expect(module).toEqual(before);
  });

  test("is capped wherever custom sections are, whatever the limits are", () => {
    const size = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.option(fc.integer({ min: 20, max: 70_000 })),
        fc.integer({ min: 20, max: 65_536 }),
        fc.array(size, { maxLength: 4 }),
        fc.nat(),
        (initial, maximum, pages, customs, where) => {
          fc.pre(maximum === null || maximum <= 65_536);
          let module = moduleWith(`(memory (export "memory") ${initial} ${maximum ?? ""}) (data "passive")`);
          for (const length of customs) {
            const boundaries = [8, ...sectionsOf(module).map(({ end }) => end)];
            const at = boundaries[where % boundaries.length] ?? 8;
            module = spliced(module, { start: at, end: at }, customSection("pad", length));
          }
          const result = capped(module, pages);
          expect(WebAssembly.validate(result)).toBe(true);
          expect(readModule(result).memory).toMatchObject({ initialPages: initial, maximumPages: pages, flags: 1 });
          const order = (file: Uint8Array): number[] =>
            sectionsOf(file)
              .map(({ id }) => id)
              .filter((id) => id !== 6);
          expect(order(result)).toEqual(order(module));
        },
      ),
    );
  });
});

describe("the memory of an admitted module", () => {
  test.each([
    ["the rule's limit where the module declares none", "1", 2 * MIB, 32],
    ["the rule's limit where the module declares more", "1 1000", 2 * MIB, 32],
    ["the module's own maximum where that is smaller", "1 7", 2 * MIB, 7],
    ["the module's own size where that is its maximum", "3 3", 2 * MIB, 3],
    ["whole pages only, when the rule's limit is none", "1", 3 * PAGE - 1, 2],
    ["the rule's limit when the module starts there", "32", 2 * MIB, 32],
  ])("grows to %s", async (_, limits, memoryBytes, pages) => {
    const module = await admitted(moduleWith(`(memory (export "memory") ${limits})`), { memoryBytes });
    expect(module.memoryBytes).toBe(pages * PAGE);
    const memory = (await exportsOf(module))["memory"] as WebAssembly.Memory;
    const initial = memory.buffer.byteLength / PAGE;
    expect(() => memory.grow(pages - initial + 1)).toThrow(RangeError);
    expect(memory.grow(pages - initial)).toBe(initial);
    expect(() => memory.grow(1)).toThrow(RangeError);
  });

  test("is capped for the guest's own instruction as well", async () => {
    const module = await admitted(
      moduleWith('(memory 1) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))'),
      { memoryBytes: 4 * PAGE },
    );
    const grow = (await exportsOf(module))["grow"] as (pages: number) => number;
    expect([grow(4), grow(65_535), grow(-1), grow(3), grow(1)]).toEqual([-1, -1, -1, 1, -1]);
  });
});
