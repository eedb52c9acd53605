import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runConformance } from "../../src/authoring/conformance/run-conformance.ts";
import { type ConformanceVector, inputOf, readVectors } from "../../src/authoring/conformance/vectors.ts";
import { EVENT_NAMES } from "../../src/events/lookup.ts";
import { guest, wat, withManifest } from "../helpers/guests.ts";

const vectors = await readVectors();
const vectorOf = (id: string): ConformanceVector => {
  const found = vectors.find((vector) => vector.id === id);
  if (found === undefined) throw new Error(`no vector ${id}`);
  return found;
};

const BLOCKS = '{"decision":"block","reason":"never"}';
const bytesAsWat = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");

interface Wrong {
  readonly input: Uint8Array;
  readonly does: string | "traps";
  /** Only if the config's key `words` has a text of this length. */
  readonly configLength?: number | undefined;
}

const SLOT_BYTES = 8_192;
/** Longer inputs are recognised by their length. */
const MAX_COMPARED_BYTES = 4_096;

/** Blocks every event, which is always valid, except for these inputs, for each of which it does something wrong. */
function wrongOnlyAt(wrongs: readonly Wrong[]): Uint8Array {
  const parts = wrongs.map(({ input, does, configLength = -1 }, index) => {
    const output = new TextEncoder().encode(does);
    const compared = input.byteLength > MAX_COMPARED_BYTES ? 0 : input.byteLength;
    const at = 65_536 + index * SLOT_BYTES;
    const say = `(call $say (i32.const ${at + MAX_COMPARED_BYTES}) (i32.const ${output.byteLength}))`;
    return {
      data: `
      (data (i32.const ${at}) "${bytesAsWat(input.subarray(0, compared))}")
      (data (i32.const ${at + MAX_COMPARED_BYTES}) "${bytesAsWat(output)}")`,
      run: `
        (if (call $isIt (i64.const ${input.byteLength}) (i32.const ${at}) (i32.const ${compared}) (i64.const ${configLength}))
          (then ${does === "traps" ? "unreachable" : say} (return (i32.const 0))))`,
    };
  });
  return withManifest(
    wat(`(module
      (import "extism:host/env" "input_length" (func $length (result i64)))
      (import "extism:host/env" "input_load_u8" (func $input (param i64) (result i32)))
      (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
      (import "extism:host/env" "length" (func $size (param i64) (result i64)))
      (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
      (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
      (import "extism:host/env" "output_set" (func $output (param i64 i64)))
      (memory 4)
      (data (i32.const 0) "${bytesAsWat(new TextEncoder().encode(BLOCKS))}")
      (data (i32.const 1024) "words")${parts.map(({ data }) => data).join("")}
      (func $block (param $from i32) (param $length i32) (result i64)
        (local $block i64) (local $at i32)
        (local.set $block (call $alloc (i64.extend_i32_u (local.get $length))))
        (block $done (loop $copy
          (br_if $done (i32.eq (local.get $at) (local.get $length)))
          (call $store (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
            (i32.load8_u (i32.add (local.get $from) (local.get $at))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $copy)))
        (local.get $block))
      (func $say (param $from i32) (param $length i32)
        (call $output (call $block (local.get $from) (local.get $length)) (i64.extend_i32_u (local.get $length))))
      (func $isIt (param $bytes i64) (param $from i32) (param $compared i32) (param $configLength i64) (result i32)
        (local $at i32)
        (if (i64.ne (call $length) (local.get $bytes)) (then (return (i32.const 0))))
        (block $same (loop $next
          (br_if $same (i32.ge_u (local.get $at) (local.get $compared)))
          (if (i32.ne (call $input (i64.extend_i32_u (local.get $at)))
              (i32.load8_u (i32.add (local.get $from) (local.get $at))))
            (then (return (i32.const 0))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next)))
        (if (i64.lt_s (local.get $configLength) (i64.const 0)) (then (return (i32.const 1))))
        (i64.eq (call $size (call $config (call $block (i32.const 1024) (i32.const 5)))) (local.get $configLength)))
      (func (export "handle") (result i32)${parts.map(({ run }) => run).join("")}
        (call $say (i32.const 0) (i32.const ${BLOCKS.length}))
        (i32.const 0)))`),
    { name: "wrong", version: "1", abi: 1, config: { properties: { words: {} } } },
  );
}

const ALLOWS = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';

// A run takes a thread and hundreds of calls: the defects are tested a few at a time, no two of one kind.
describe("a guard with a few defects", () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    [
      "half an object, a second one, a permission",
      {
        "events/Stop": '{"decision":',
        "malformed/empty": "{}",
        "spelling/escaped-letters": "{}",
        "text/astral": "traps",
        "types/command-is-null": ALLOWS,
      },
    ],
    [
      "a field that nobody knows, what it cannot have read, another reason",
      {
        "events/SessionStart": '{"decision":"block","because":"never"}',
        "malformed/truncated-by-one-byte": ALLOWS,
        "spelling/other-order": '{"decision":"block","reason":"Never"}',
        "text/one-megabyte": "\u0000",
        "types/no-fields": ALLOWS,
      },
    ],
    ["a trap, what is no object", { "events/PreToolUse-Write": "traps", "malformed/array": "{}" }],
    [
      "two answers, bytes that are no text, a config that is no JSON",
      { "events/unknown-event": "{}{}", "malformed/invalid-utf-8": "{}", "config/broken-json": ALLOWS },
    ],
  ])("gets a report for each of them, and for nothing else: %s", async (_, wrongs) => {
    const wrong = Object.entries(wrongs).map(([id, does]) => ({ vector: vectorOf(id), does }));
    const results = await runConformance(
      wrongOnlyAt(
        wrong.map(({ vector, does }) => ({
          input: inputOf(vector),
          does,
          configLength: vector.everyConfigKey?.length,
        })),
      ),
    );
    const byId = (one: { readonly id: string }, other: { readonly id: string }) => one.id.localeCompare(other.id);
    expect(results.filter(({ passed }) => !passed).sort(byId)).toEqual(
      wrong
        .map(({ vector: { id, why } }) => ({
          id,
          passed: false,
          why,
          sent: expect.stringMatching(/^\d+ bytes:/),
          came: expect.stringMatching(/./),
          message: expect.stringMatching(/./),
          fuel: expect.any(Number),
        }))
        .sort(byId),
    );
    expect(results.length).toBeGreaterThan(100);
  });
});

test("a guard that always blocks has no defect: what it guards is its author's decision", async () => {
  const results = await runConformance(wrongOnlyAt([]));
  expect(results.filter(({ passed }) => !passed)).toEqual([]);
});

/** Blocks, and traps if the key `words` is missing. */
function wantsWords(fixtures: readonly object[]): Uint8Array {
  return withManifest(
    wat(`(module
      (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
      (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
      (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
      (import "extism:host/env" "output_set" (func $output (param i64 i64)))
      (memory 1)
      (data (i32.const 0) "words")
      (data (i32.const 16) "${bytesAsWat(new TextEncoder().encode(BLOCKS))}")
      (func $block (param $from i32) (param $length i32) (result i64)
        (local $block i64) (local $at i32)
        (local.set $block (call $alloc (i64.extend_i32_u (local.get $length))))
        (loop $copy
          (call $store (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
            (i32.load8_u (i32.add (local.get $from) (local.get $at))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $copy (i32.lt_u (local.get $at) (local.get $length))))
        (local.get $block))
      (func (export "handle") (result i32)
        (if (i64.eqz (call $config (call $block (i32.const 0) (i32.const 5)))) (then unreachable))
        (call $output (call $block (i32.const 16) (i32.const ${BLOCKS.length})) (i64.const ${BLOCKS.length}))
        (i32.const 0)))`),
    { name: "wants-words", version: "1", abi: 1, config: { required: ["words"], properties: { words: {} } }, fixtures },
  );
}

test("a guard that needs a config gets that of its first fixture with one", async () => {
  const event = { hook_event_name: "Stop" };
  const bare = { name: "bare", event, decision: "block" };
  const failed = async (fixtures: readonly object[]) =>
    (await runConformance(wantsWords(fixtures))).filter(({ passed }) => !passed).map(({ id }) => id);
  expect(await failed([bare, { ...bare, name: "with words", config: { words: ["rm"] } }])).toEqual([]);
  expect(await failed([bare])).toContain("events/PreToolUse");
});

test("a guard that never reads its input is reported, because it lets through what it could not have read", async () => {
  const failed = (await runConformance(guest("abstains"))).filter(({ passed }) => !passed).map(({ id }) => id);
  expect(failed.length).toBeGreaterThan(10);
  expect(failed.every((id) => id.startsWith("malformed/"))).toBe(true);
});

test("a guard that always fails has no answer to any event", async () => {
  const failed = (await runConformance(guest("traps"))).filter(({ passed }) => !passed).map(({ id }) => id);
  expect(failed).toContain("events/PreToolUse");
  expect(failed.filter((id) => /^(malformed|types|config)/.test(id))).toEqual([]);
});

test("a module that would not load is reported with the reason, and no other check runs", async () => {
  expect(await runConformance(guest("imports-wasi"))).toEqual([
    expect.objectContaining({
      id: "module/loads",
      passed: false,
      came: expect.stringMatching(/^HOOK_MODULE_IMPORT: /),
    }),
  ]);
  expect(await runConformance(new Uint8Array(3))).toMatchObject([{ id: "module/loads", passed: false }]);
});

// It decodes its input with replacement characters for bytes that are not UTF-8. This host sends only UTF-8.
const KNOWN = ["malformed/invalid-utf-8", "malformed/overlong-utf-8"];

test("the shipped guard passes", async () => {
  const file = join(import.meta.dirname, "../../dist/guards/shell-guard.wasm");
  const failed = (await runConformance(readFileSync(file))).filter(({ passed }) => !passed);
  expect(failed.filter(({ id }) => !KNOWN.includes(id))).toEqual([]);
});

describe("the vectors", () => {
  test("have an event of every name", () => {
    const asked = new Set(vectors.map(({ event }) => event?.["hook_event_name"]));
    expect(EVENT_NAMES.filter((name) => !asked.has(name))).toEqual([]);
  });

  test("have unique names, one kind of input each, and refer only to earlier ones", () => {
    const ids = vectors.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [at, { event, input, ownTests, sameAs }] of vectors.entries()) {
      expect([event, input, ownTests].filter((kind) => kind !== undefined)).toHaveLength(1);
      if (sameAs !== undefined) expect(ids.slice(0, at)).toContain(sameAs);
    }
  });

  test("are malformed if they say so, and JSON otherwise", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const isObject = (vector: ConformanceVector): boolean => {
      try {
        const value: unknown = JSON.parse(decoder.decode(inputOf(vector)));
        return typeof value === "object" && value !== null && !Array.isArray(value);
      } catch {
        return false;
      }
    };
    for (const vector of vectors.filter(({ ownTests }) => ownTests === undefined))
      expect([vector.id, isObject(vector)]).toEqual([vector.id, vector.expect !== "refusal"]);
  });

  test("that spell one event differently all mean the same", () => {
    const known = ["hook_event_name", "tool_name", "tool_input", "abi", "dialect"];
    const meaning = (vector: ConformanceVector): unknown => {
      const event = JSON.parse(new TextDecoder().decode(inputOf(vector))) as Record<string, unknown>;
      return known.map((key) => event[key]);
    };
    for (const vector of vectors.filter(({ sameAs }) => sameAs !== undefined))
      expect(meaning(vector)).toEqual(meaning(vectorOf(vector.sameAs as string)));
  });
});
