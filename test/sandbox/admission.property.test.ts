import { describe, expect, test } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import { HOST_FUNCTIONS } from "../../src/sandbox/guest/guest-abi.ts";
import fc from "../helpers/fc.ts";
import { guest, moduleWith } from "../helpers/guests.ts";
import { times } from "../helpers/tier.ts";
import { PAGE, requirements } from "./module-requirements.ts";

const CAP = 3;
const seeds = [
  guest("denies"),
  guest("looks-for-leftovers"),
  guest("remembers-in-a-table"),
  guest("answers-from-its-config"),
  guest("swallows-a-refusal"),
  moduleWith('(table 2 funcref) (memory (export "memory") 1 300) (global (mut i64) (i64.const 0)) (data "x")'),
];

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
// Small numbers are counts, kinds and section ids; the rest are opcodes, types and longer encodings of numbers.
const byte = fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 255 }));
const mutationOf = (...kinds: ("replace" | "insert" | "delete" | "cut")[]) =>
  fc.record({ at: place, byte, kind: fc.constantFrom(...kinds) });
type Mutation = ReturnType<typeof mutationOf> extends fc.Arbitrary<infer Value> ? Value : never;
// Half of the cases change one byte, which often leaves the module valid.
const mutations = fc.oneof(
  fc.array(mutationOf("replace"), { minLength: 1, maxLength: 1 }),
  fc.array(mutationOf("replace", "insert", "delete", "cut"), { minLength: 1, maxLength: 4 }),
);

function mutate(module: Uint8Array<ArrayBuffer>, mutations: readonly Mutation[]): Uint8Array<ArrayBuffer> {
  const bytes = [...module];
  for (const { at, byte, kind } of mutations) {
    const index = Math.floor(at * bytes.length);
    if (kind === "replace") bytes[index] = byte;
    else if (kind === "cut") bytes.length = index;
    else bytes.splice(index, kind === "delete" ? 1 : 0, ...(kind === "insert" ? [byte] : []));
  }
  return Uint8Array.from(bytes);
}

const idle = Object.fromEntries(Object.keys(HOST_FUNCTIONS).map((name) => [name, () => 0n]));

/**
 * Returns the number of pages that the module's memory can have at most; `undefined` if it has no accessible memory.
 */
async function pagesOf(compiled: WebAssembly.Module): Promise<number | undefined> {
  let exports: WebAssembly.Exports;
  try {
    ({ exports } = await WebAssembly.instantiate(compiled, { "extism:host/env": idle }));
  } catch {
    return undefined;
  }
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  if (memory === undefined) return undefined;
  for (let more = true; more && memory.buffer.byteLength <= CAP * PAGE; ) {
    try {
      memory.grow(1);
    } catch {
      more = false;
    }
  }
  return memory.buffer.byteLength / PAGE;
}

describe("for any change of a module's bytes, admission", () => {
  test("answers, and no admitted module can have more memory than the limit", async () => {
    let admissions = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...seeds), mutations, async (seed, changes) => {
        const admission = await admit(mutate(seed, changes), requirements({ memoryBytes: CAP * PAGE }));
        if (!admission.ok) {
          expect(admission.code).toMatch(/^HOOK_MODULE_(INVALID|IMPORT|ABI|FEATURE|LIMIT)$/);
          expect(admission.message).not.toBe("");
          return;
        }
        admissions += 1;
        const pages = await pagesOf(admission.module.compiled);
        if (pages !== undefined) expect(pages).toBeLessThanOrEqual(CAP);
        expect(admission.memoryBytes).toBeLessThanOrEqual(CAP * PAGE);
      }),
      { numRuns: 3_000 },
    );
    // Otherwise the property would have checked no admitted module.
    expect(admissions).toBeGreaterThan(times(50, 10));
  });

  test("answers for bytes that never were a module", async () => {
    const header = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, headed) => {
        const file = Uint8Array.from(headed ? [...header, ...bytes] : bytes);
        expect((await admit(file, requirements())).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
