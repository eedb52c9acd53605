import { describe, expect, test } from "vitest";
import { DEFAULT_HOST_LIMITS } from "../../src/sandbox/guest/host.ts";
import fc from "../helpers/fc.ts";
import { DrivenHost } from "./guest-host.ts";

const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);
const { heapBytes, blocks, outputBytes, logLines, logBytes } = DEFAULT_HOST_LIMITS;

describe("an allocation is refused as memory, and nothing is allocated, if it asks for", () => {
  test.each([
    ["one byte more than the heap", BigInt(heapBytes + 1)],
    ["a gigabyte", 2n ** 30n],
    ["just under 2^32 bytes", 0xffff_ffffn],
    ["2^32 bytes", 2n ** 32n],
    ["2^62 bytes", 2n ** 62n],
    ["the largest number there is", LARGEST],
    ["-1 bytes", -1n],
    ["the smallest number there is", SMALLEST],
  ])("%s", (_, size) => {
    const driven = new DrivenHost();
    const before = process.memoryUsage().arrayBuffers;
    expect(driven.refusal(() => driven.alloc(size))).toMatchObject({ kind: "memory", limit: heapBytes });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1_048_576);
  });

  test("one byte more than is left of the heap, in many blocks", () => {
    const driven = new DrivenHost({ limits: { heapBytes: 4_096 } });
    for (let index = 0; index < 4; index += 1) driven.alloc(1_024);
    const failure = driven.refusal(() => driven.alloc(1));
    expect(failure).toMatchObject({ kind: "memory", limit: 4_096 });
    expect(failure.value).toBeGreaterThan(4_096);
  });

  test("the whole heap again after freeing it", () => {
    const driven = new DrivenHost();
    driven.call("free", driven.alloc(heapBytes));
    expect(driven.refusal(() => driven.alloc(heapBytes))).toMatchObject({ kind: "memory" });
  });

  test.each([
    ["of eight bytes", 8n],
    ["of nothing", 0n],
  ])("one block over the limit, %s, counting freed blocks", (_, size) => {
    const driven = new DrivenHost();
    for (let index = 0; index < blocks; index += 1) driven.call("free", driven.alloc(size));
    expect(driven.refusal(() => driven.alloc(size))).toMatchObject({
      kind: "memory",
      limit: blocks,
      value: blocks + 1,
    });
  });
});

test("a config value and the input as a block count against the same limits", () => {
  const config = { big: "x".repeat(4_000) };
  const byValue = new DrivenHost({ config, limits: { heapBytes: 4_096 } });
  const key = byValue.store("big");
  byValue.alloc(2_000);
  expect(byValue.refusal(() => byValue.call("config_get", key))).toMatchObject({ kind: "memory", limit: 4_096 });
  const byInput = new DrivenHost({ input: "x".repeat(4_097), limits: { heapBytes: 4_096 } });
  expect(byInput.refusal(() => byInput.call("input_offset"))).toMatchObject({ kind: "memory", limit: 4_096 });
  const byBlocks = new DrivenHost({ input: "x", limits: { blocks: 1 } });
  byBlocks.alloc(1);
  expect(byBlocks.refusal(() => byBlocks.call("input_offset"))).toMatchObject({ kind: "memory", limit: 1 });
});

test("the whole heap can be used, in one block, to its last byte", () => {
  const driven = new DrivenHost();
  const block = driven.alloc(heapBytes);
  driven.call("store_u8", block + BigInt(heapBytes - 1), 7);
  expect(driven.call("load_u8", block + BigInt(heapBytes - 1))).toBe(7);
});

describe("an address outside of every block is refused as a trap", () => {
  const accesses = [
    ["load_u8", 1, []],
    ["load_u64", 8, []],
    ["store_u8", 1, [1]],
    ["store_u64", 8, [1n]],
  ] as const;

  test.each(accesses)("by %s", (name, size, value) => {
    const end = (driven: DrivenHost): bigint => driven.alloc(64) + 64n;
    for (const addressOf of [
      () => 0n,
      () => 7n,
      () => -1n,
      () => SMALLEST,
      () => LARGEST,
      () => 2n ** 53n,
      end,
      (driven: DrivenHost) => end(driven) - BigInt(size) + 1n,
    ]) {
      const driven = new DrivenHost();
      const address = addressOf(driven);
      expect(driven.refusal(() => driven.call(name, address, ...value))).toMatchObject({ kind: "trap" });
    }
  });

  test("if nothing is allocated, although the heap exists", () => {
    expect(new DrivenHost().refusal((driven) => driven.call("load_u8", 8n))).toMatchObject({ kind: "trap" });
  });

  test("and exactly the bytes of allocated blocks can be read", () => {
    const address = fc.bigInt({ min: SMALLEST, max: LARGEST });
    const sizes = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 10 });
    fc.assert(
      fc.property(sizes, fc.oneof(address, fc.bigInt({ min: -16n, max: 1_200n })), (list, at) => {
        const driven = new DrivenHost({ limits: { heapBytes: 2_048 } });
        const first = driven.alloc(8);
        for (const size of list) driven.alloc(size);
        const end = driven.alloc(8) + 8n;
        if (at >= first && at < end) expect(driven.call("load_u8", at)).toBe(0);
        else expect(driven.refusal(() => driven.call("load_u8", at))).toMatchObject({ kind: "trap" });
      }),
    );
  });
});

describe("a handle of no block is refused", () => {
  test.each([
    "output_set",
    "error_set",
    "config_get",
    "log_trace",
    "log_debug",
    "log_info",
    "log_warn",
    "log_error",
  ] as const)("by %s", (name) => {
    for (const offset of [1n, -1n, 8n, 2n ** 40n, SMALLEST]) {
      const driven = new DrivenHost();
      const handle = driven.store("block") + offset;
      expect(driven.refusal(() => driven.call(name, handle, 5n))).toMatchObject({
        kind: "trap",
        message: expect.stringContaining(name),
      });
    }
    const driven = new DrivenHost();
    const freed = driven.store("block");
    driven.call("free", freed);
    expect(driven.refusal(() => driven.call(name, freed, 5n))).toMatchObject({ kind: "trap" });
  });

  test("by output_set if it is 0, because there is nothing to set", () => {
    expect(new DrivenHost().refusal((driven) => driven.call("output_set", 0n, 0n))).toMatchObject({ kind: "trap" });
  });
});

describe("an output is refused if", () => {
  test.each([
    ["shorter than its block", 1n],
    ["empty in a block that is not", 0n],
    ["one byte longer than its block", 3n],
    ["longer by what alignment adds", 8n],
    ["-1", -1n],
    ["2^32 more than its block", 2n ** 32n + 2n],
  ])("its length is %s", (_, length) => {
    const driven = new DrivenHost();
    const block = driven.store("{}");
    expect(driven.refusal(() => driven.call("output_set", block, length))).toMatchObject({ kind: "invalid-output" });
    expect(driven.output).toBeUndefined();
  });

  test("it is a byte longer than the limit, with limit and value", () => {
    const driven = new DrivenHost();
    const block = driven.alloc(outputBytes + 1);
    expect(driven.refusal(() => driven.call("output_set", block, BigInt(outputBytes + 1)))).toMatchObject({
      kind: "output-too-large",
      limit: outputBytes,
      value: outputBytes + 1,
    });
    expect(driven.output).toBeUndefined();
    const exact = new DrivenHost();
    exact.call("output_set", exact.alloc(outputBytes), BigInt(outputBytes));
    expect(exact.host.output).toHaveLength(outputBytes);
  });
});

describe("the log", () => {
  test("keeps its lines with their levels", () => {
    const driven = new DrivenHost();
    for (const level of ["trace", "debug", "info", "warn", "error"] as const)
      driven.call(`log_${level}`, driven.store(`at ${level}`));
    expect(driven.host.log).toEqual([
      "trace: at trace",
      "debug: at debug",
      "info: at info",
      "warn: at warn",
      "error: at error",
    ]);
  });

  test("stops at its limit of lines, without failing the call", () => {
    const driven = new DrivenHost();
    const line = driven.store("again");
    for (let index = 0; index < 10_000; index += 1) driven.call("log_info", line);
    expect(driven.host.log).toHaveLength(logLines + 1);
    expect(driven.host.log.at(-1)).toBe(`${10_000 - logLines} more lines were not kept`);
    expect(driven.host.failure).toBeUndefined();
  });

  test("stops at its limit of bytes, even within a line", () => {
    const driven = new DrivenHost();
    const line = driven.store("x".repeat(logBytes - 10));
    for (let index = 0; index < 5; index += 1) driven.call("log_info", line);
    const kept = driven.host.log.slice(0, -1).reduce((sum, text) => sum + text.length - "info: ".length, 0);
    expect(kept).toBe(logBytes);
  });
});

describe("a refusal by the host", () => {
  test("remains whatever the guest does next, and the first refusal counts", () => {
    const driven = new DrivenHost();
    const first = driven.refusal(() => driven.alloc(-1n));
    driven.setOutput("{}");
    driven.call("error_set", 0n);
    expect(() => driven.call("var_get", 8n)).toThrow();
    expect(driven.host.failure).toBe(first);
    expect(first.kind).toBe("memory");
  });

  test("is removed after the call", () => {
    const driven = new DrivenHost();
    driven.refusal(() => driven.alloc(-1n));
    driven.begin();
    expect(driven.host.failure).toBeUndefined();
    driven.setOutput("{}");
    expect(driven.output).toBe("{}");
  });
});

describe("the next call", () => {
  test("finds no output, error, log, config, input or blocks of the call before", () => {
    const driven = new DrivenHost({ input: "secret input", config: { key: "secret" } });
    const block = driven.store("key");
    driven.setOutput("secret output");
    driven.call("error_set", driven.store("secret error"));
    driven.call("log_info", driven.store("secret line"));
    driven.begin({ input: "x" });
    expect([driven.host.output, driven.host.error, driven.host.log]).toEqual([undefined, undefined, []]);
    expect(driven.call("length_unsafe", block)).toBe(0n);
    expect(driven.call("input_length")).toBe(1n);
    expect(driven.call("config_get", driven.store("key"))).toBe(0n);
  });

  test("cannot read a byte of the call before from the heap, in any order of allocations", () => {
    const canary = new TextEncoder().encode("canary");
    const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(sizes, sizes, (before, after) => {
        const driven = new DrivenHost({ input: "canary".repeat(50) });
        driven.call("input_offset");
        for (const size of before) {
          const block = driven.alloc(size);
          for (let at = 0; at + 6 <= size; at += 997)
            for (const [index, byte] of canary.entries()) driven.call("store_u8", block + BigInt(at + index), byte);
        }
        driven.begin();
        for (const size of after) {
          const block = driven.alloc(size);
          for (let at = 0; at < size; at += 1)
            if (driven.call("load_u8", block + BigInt(at)) !== 0) throw new Error(`a byte left at ${at}`);
        }
      }),
      { numRuns: 30 },
    );
  });
});
