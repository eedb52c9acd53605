import { describe, expect, test } from "vitest";
import { ALWAYS_GRANTED } from "../../src/sandbox/grants/grants.ts";
import { ABSENT_NAMESPACE, HOST_FUNCTIONS, HOST_NAMESPACE, OWN_NAMESPACE } from "../../src/sandbox/guest/guest-abi.ts";
import { GuestHost } from "../../src/sandbox/guest/host.ts";
import { DrivenHost } from "./guest-host.ts";

describe("the host's functions", () => {
  test("are exactly those of the guest ABI", () => {
    const { functions } = new GuestHost();
    expect(Object.keys(functions)).toEqual([HOST_NAMESPACE, OWN_NAMESPACE, ABSENT_NAMESPACE]);
    expect(Object.keys(functions[HOST_NAMESPACE] ?? {}).sort()).toEqual(Object.keys(HOST_FUNCTIONS).sort());
  });

  test.each(Object.entries(HOST_FUNCTIONS).filter(([, { capability }]) => ALWAYS_GRANTED.includes(capability)))(
    "include %s, which returns what its signature says",
    (name, { params, results }) => {
      const driven = new DrivenHost({ input: "12345678" });
      const block = driven.store("eight by");
      const values = name.startsWith("input_load") ? [0n] : params.map((type) => (type === "i64" ? block : 1));
      if (name === "output_set") values[1] = 8n;
      const expected = { i32: "number", i64: "bigint", nothing: "undefined" }[results[0] ?? "nothing"];
      expect(typeof driven.call(name as keyof typeof HOST_FUNCTIONS, ...values)).toBe(expected);
      expect(driven.host.failure).toBeUndefined();
    },
  );

  test("that need a grant are refused by the name of the grant", () => {
    const grants = {
      var_get: "state",
      var_set: "state",
      http_request: "hosts",
      http_status_code: "hosts",
      http_headers: "hosts",
    };
    for (const [name, grant] of Object.entries(grants)) {
      const failure = new DrivenHost().refusal((driven) => driven.call(name as keyof typeof grants, 8n, 8n));
      expect(failure).toMatchObject({ kind: "capability", message: `${name} needs a grant of "${grant}"` });
    }
  });
});

describe("a guest's blocks", () => {
  test("contain what was stored in them, byte by byte and eight bytes at a time", () => {
    const driven = new DrivenHost();
    const block = driven.alloc(16);
    driven.call("store_u64", block, -2n);
    driven.call("store_u64", block + 8n, 0x0123_4567_89ab_cdefn);
    expect(driven.load(block, 16)).toEqual([
      254, 255, 255, 255, 255, 255, 255, 255, 239, 205, 171, 137, 103, 69, 35, 1,
    ]);
    expect(BigInt.asUintN(64, driven.call("load_u64", block) as bigint)).toBe(2n ** 64n - 2n);
    driven.call("store_u8", block, 0x1ff);
    expect(driven.call("load_u8", block)).toBe(0xff);
  });

  test("are never at address 0, which means no block", () => {
    const driven = new DrivenHost();
    expect([driven.alloc(1), driven.alloc(1)].every((address) => address > 0n)).toBe(true);
    expect(driven.call("length", 0n)).toBe(0n);
  });

  // Two blocks with the same address would be one block: freeing, measuring or outputting one would affect the other.
  test("do not overlap, and have different addresses, even empty ones", () => {
    const driven = new DrivenHost();
    const sizes = [3, 0, 5, 0, 0, 8, 1];
    const blocks = sizes.map((size) => driven.alloc(size));
    expect(new Set(blocks).size).toBe(sizes.length);
    expect(blocks.map((block) => Number(driven.call("length", block)))).toEqual(sizes);
    const spans = blocks.map((start, index) => [Number(start), Number(start) + (sizes[index] ?? 0)] as const);
    for (const [index, [, end]] of spans.entries()) expect(spans[index + 1]?.[0] ?? end).toBeGreaterThanOrEqual(end);
  });

  test("are filled with zeros at first", () => {
    const driven = new DrivenHost();
    expect(driven.load(driven.alloc(64), 64)).toEqual(new Array(64).fill(0));
  });

  test("keep their content if the heap grows", () => {
    const driven = new DrivenHost();
    const first = driven.store("still here");
    driven.alloc(300_000);
    expect(driven.text(first)).toBe("still here");
  });

  test("that were freed are no longer blocks", () => {
    const driven = new DrivenHost();
    const block = driven.store("gone");
    driven.call("free", block);
    expect(driven.call("length_unsafe", block)).toBe(0n);
    expect(driven.refusal(() => driven.call("length", block))).toMatchObject({ kind: "trap" });
  });

  test("that were freed can still be read and written by address, as docs/guest-abi.md says", () => {
    const driven = new DrivenHost();
    const block = driven.store("12345678");
    driven.call("free", block);
    driven.call("store_u8", block, 0x39);
    expect(driven.load(block, 2)).toEqual([0x39, 0x32]);
  });

  test("that were freed after output_set still hold the answer, as docs/guest-abi.md says", () => {
    const driven = new DrivenHost();
    const block = driven.store('{"a":1}');
    driven.call("output_set", block, 7n);
    driven.call("free", block);
    expect(new TextDecoder().decode(driven.host.output)).toBe('{"a":1}');
  });

  test("that were freed before output_set or error_set fail the call", () => {
    for (const [name, ...more] of [["output_set", 4n], ["error_set"]] as const) {
      const failure = new DrivenHost().refusal((driven) => {
        const block = driven.store("text");
        driven.call("free", block);
        driven.call(name, block, ...more);
      });
      expect(failure).toMatchObject({ kind: "trap" });
    }
  });

  test("with an unknown address have no length, and freeing them has no effect", () => {
    const driven = new DrivenHost();
    const block = driven.store("here");
    for (const address of [0n, -1n, block + 1n, 2n ** 62n]) {
      expect(driven.call("length_unsafe", address)).toBe(0n);
      driven.call("free", address);
    }
    expect(driven.text(block)).toBe("here");
    expect(driven.host.failure).toBeUndefined();
  });
});

describe("the input", () => {
  test("is read in place, byte by byte and eight bytes at a time", () => {
    const driven = new DrivenHost({ input: "0123456789" });
    expect(driven.call("input_length")).toBe(10n);
    expect(driven.call("input_load_u8", 9n)).toBe(0x39);
    expect(driven.call("input_load_u64", 2n)).toBe(0x3938_3736_3534_3332n);
  });

  test("is copied to an address of the guest's memory, in one call", () => {
    const driven = new DrivenHost({ input: "0123456789" });
    const memory = driven.attachMemory(1);
    driven.call("input_read", 65_526n);
    expect(new TextDecoder().decode(memory.subarray(65_524))).toBe("\0\x000123456789");
  });

  test.each([-1n, 65_527n, 2n ** 32n, 2n ** 62n, -(2n ** 63n)])(
    "is not copied to %s, outside of the memory",
    (address) => {
      const driven = new DrivenHost({ input: "0123456789" });
      const memory = driven.attachMemory(100);
      expect(driven.refusal(() => driven.call("input_read", address))).toMatchObject({ kind: "trap" });
      expect(memory.every((byte) => byte === 0)).toBe(true);
    },
  );

  test("is not copied for a guest without a memory, or without fuel for its length", () => {
    const driven = new DrivenHost({ input: "x".repeat(800) });
    expect(driven.refusal(() => driven.call("input_read", 0n))).toMatchObject({ kind: "trap" });
    const poor = new DrivenHost({ input: "x".repeat(800) });
    const memory = poor.attachMemory(99);
    expect(() => poor.call("input_read", 0n)).toThrow(WebAssembly.RuntimeError);
    expect(memory.every((byte) => byte === 0)).toBe(true);
  });

  test("is also a block for guests that ask for one, the same each time", () => {
    const driven = new DrivenHost({ input: "event" });
    const block = driven.call("input_offset") as bigint;
    expect(driven.text(block)).toBe("event");
    expect(driven.call("input_offset")).toBe(block);
  });

  test("does not change if that block is written", () => {
    const input = new TextEncoder().encode("event");
    const driven = new DrivenHost({ input });
    driven.call("store_u8", driven.call("input_offset") as bigint, 0);
    expect(new TextDecoder().decode(input)).toBe("event");
    expect(driven.call("input_load_u8", 0n)).toBe(0x65);
  });

  test.each([
    ["one byte behind its end", "input_load_u8", 5n],
    ["before its beginning", "input_load_u8", -1n],
    ["far behind its end", "input_load_u8", 2n ** 62n],
    ["with eight bytes that reach over its end", "input_load_u64", 0n],
  ] as const)("is refused %s", (_, name, offset) => {
    expect(new DrivenHost({ input: "event" }).refusal((driven) => driven.call(name, offset))).toMatchObject({
      kind: "trap",
    });
  });

  test("ends at the end of its view, if it is a view of a larger buffer", () => {
    const buffer = new TextEncoder().encode("before|event|behind");
    const driven = new DrivenHost({ input: buffer.subarray(7, 12) });
    expect(driven.call("input_load_u8", 0n)).toBe(0x65);
    expect(driven.refusal(() => driven.call("input_load_u8", 5n))).toMatchObject({ kind: "trap" });
  });
});

describe("the output", () => {
  test("is the block that was set last", () => {
    const driven = new DrivenHost();
    expect(driven.output).toBeUndefined();
    driven.setOutput("first");
    driven.setOutput("second");
    expect(driven.output).toBe("second");
  });

  test("is the content of the block at the end of the call, as in Extism", () => {
    const driven = new DrivenHost();
    const block = driven.store("{}");
    driven.call("output_set", block, 2n);
    driven.call("store_u8", block, 0x58);
    expect(driven.output).toBe("X}");
  });
});

describe("an error", () => {
  test("is the text of its block, cut at 4,096 bytes", () => {
    const driven = new DrivenHost();
    driven.call("error_set", driven.store("no rules loaded"));
    expect(driven.host.error).toBe("no rules loaded");
    driven.call("error_set", driven.store("x".repeat(10_000)));
    expect(driven.host.error).toHaveLength(4_096);
  });

  test("is removed by address 0, and counts even if it is empty", () => {
    const driven = new DrivenHost();
    driven.call("error_set", driven.alloc(0));
    expect(driven.host.error).toBe("");
    driven.call("error_set", 0n);
    expect(driven.host.error).toBeUndefined();
  });
});

describe("a config value", () => {
  const get = (driven: DrivenHost, key: string): string | undefined => {
    const block = driven.call("config_get", driven.store(key)) as bigint;
    return block === 0n ? undefined : driven.text(block);
  };

  test("is found by its name only", () => {
    const driven = new DrivenHost({ config: { paths: '["/etc"]', ünï: "ja", "": "nameless" } });
    expect([get(driven, "paths"), get(driven, "ünï"), get(driven, "")]).toEqual(['["/etc"]', "ja", "nameless"]);
    expect([get(driven, "Paths"), get(driven, "path"), get(driven, "paths ")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("that is empty exists, and stays empty whatever is allocated after it", () => {
    const driven = new DrivenHost({ config: { empty: "" } });
    const block = driven.call("config_get", driven.store("empty")) as bigint;
    expect(block).not.toBe(0n);
    driven.alloc(32);
    expect(driven.call("length", block)).toBe(0n);
  });

  test("is no inherited property of objects", () => {
    const driven = new DrivenHost({ config: { real: "1" } });
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])
      expect(get(driven, name)).toBeUndefined();
    expect(driven.host.failure).toBeUndefined();
  });

  test("may have the name of an inherited property", () => {
    const config = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    const driven = new DrivenHost({ config });
    expect([get(driven, "__proto__"), get(driven, "constructor")]).toEqual(["a", "b"]);
  });
});
