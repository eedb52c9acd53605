import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import * as base64 from "../../../guest-sdk/typescript/globals/base64.ts";
import { console as guestConsole } from "../../../guest-sdk/typescript/globals/console.ts";
import { queueMicrotask } from "../../../guest-sdk/typescript/globals/queue-microtask.ts";
import { structuredClone as guestClone } from "../../../guest-sdk/typescript/globals/structured-clone.ts";
import { MISSING_GLOBALS, PROVIDED_GLOBALS } from "../../../guest-sdk/typescript/globals/table.ts";
import { TextDecoder as GuestDecoder } from "../../../guest-sdk/typescript/globals/text-decoder.ts";
import { TextEncoder as GuestEncoder } from "../../../guest-sdk/typescript/globals/text-encoder.ts";
import { bindHost } from "../../../guest-sdk/typescript/host.ts";
import fc from "../../helpers/fc.ts";
import { makeHost } from "./installed-guard.ts";

const GLOBALS = join(import.meta.dirname, "../../../guest-sdk/typescript/globals");

/** Any code units, lone surrogates included. */
const units = fc.array(fc.nat(0xffff), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));
const text = fc.oneof(units, fc.string({ unit: "binary" }), fc.string());

/** Returns the result of a call, or the name of its error. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return (error as Error).name;
  }
}

test("the table names modules that export the globals", async () => {
  for (const [name, file] of Object.entries(PROVIDED_GLOBALS)) {
    const path = join(GLOBALS, file.replace(/\.js$/, ".ts"));
    expect(existsSync(path)).toBe(true);
    expect(Object.keys((await import(path)) as object)).toContain(name);
    expect(Object.keys(MISSING_GLOBALS)).not.toContain(name);
  }
});

describe("TextEncoder", () => {
  test("encodes as Node's does", () => {
    fc.assert(
      fc.property(text, fc.nat(30), (input, size) => {
        expect([...new GuestEncoder().encode(input)]).toEqual([...new TextEncoder().encode(input)]);
        const [ours, theirs] = [new Uint8Array(size), new Uint8Array(size)];
        expect(new GuestEncoder().encodeInto(input, ours)).toEqual(new TextEncoder().encodeInto(input, theirs));
        expect(ours).toEqual(theirs);
      }),
    );
    expect(new GuestEncoder().encode().length).toBe(0);
    expect(new GuestEncoder().encoding).toBe("utf-8");
  });
});

describe("TextDecoder", () => {
  /** Bytes that are close to UTF-8 reach more edge cases than random bytes. */
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc
      .array(
        fc.constantFrom(
          0x00,
          0x41,
          0x7f,
          0x80,
          0x8f,
          0x90,
          0x9f,
          0xa0,
          0xbf,
          0xc0,
          0xc1,
          0xc2,
          0xdf,
          0xe0,
          0xed,
          0xef,
          0xbb,
          0xf0,
          0xf4,
          0xf5,
          0xff,
        ),
        { maxLength: 12 },
      )
      .map((list) => Uint8Array.from(list)),
    text.map((input) => new TextEncoder().encode(input)),
  );

  test("decodes as Node's does, in one piece and in several", () => {
    const options = fc.record({ fatal: fc.boolean(), ignoreBOM: fc.boolean() });
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 4 }), options, (chunks, how) => {
        const results = [GuestDecoder, TextDecoder].map((type) => {
          const decoder = new type("utf-8", how);
          return outcome(() =>
            chunks.map((chunk, index) => decoder.decode(chunk, { stream: index < chunks.length - 1 })),
          );
        });
        // If a chunk ends within a character, versions of Node differ in when they report it.
        const flat = (result: unknown) => (Array.isArray(result) ? result.join("") : result);
        expect(flat(results[0])).toEqual(flat(results[1]));
      }),
      { numRuns: 3_000 },
    );
  });

  test("accepts every kind of bytes, and a long text", () => {
    const long = "ä🚀".repeat(10_000);
    expect(new GuestDecoder().decode(new TextEncoder().encode(long))).toBe(long);
    const { buffer } = Uint8Array.from([65, 66, 67]);
    expect(new GuestDecoder().decode(buffer)).toBe("ABC");
    expect(new GuestDecoder().decode(new DataView(buffer, 1, 1))).toBe("B");
    expect(new GuestDecoder().decode()).toBe("");
    expect(() => new GuestDecoder().decode("x" as never)).toThrow(TypeError);
  });

  test("knows no other encoding", () => {
    expect(new GuestDecoder(" UTF8\n").encoding).toBe("utf-8");
    expect(() => new GuestDecoder("latin1")).toThrow(
      new RangeError("TextDecoder: a guard supports only utf-8, not latin1"),
    );
  });
});

describe("atob and btoa", () => {
  test("do the same as Node's", () => {
    const latin = fc.array(fc.nat(0xff)).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(latin, (input) => {
        expect(base64.btoa(input)).toBe(btoa(input));
        expect(base64.atob(btoa(input))).toBe(input);
      }),
    );
    const nearly = fc.array(fc.constantFrom("A", "b", "9", "+", "/", "=", " ", "\n", "-", "ä"), { maxLength: 9 });
    fc.assert(
      fc.property(
        nearly.map((chars) => chars.join("")),
        (input) => {
          expect(outcome(() => base64.atob(input))).toEqual(outcome(() => atob(input)));
        },
      ),
      { numRuns: 2_000 },
    );
    expect(() => base64.btoa("€")).toThrow("encode it as UTF-8 first");
    expect(outcome(() => base64.btoa("€"))).toBe("InvalidCharacterError");
  });
});

describe("structuredClone", () => {
  const values = fc.anything({
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withBigInt: true,
    withBoxedValues: true,
    withSparseArray: true,
  });

  test("copies the same as Node's", () => {
    fc.assert(
      fc.property(values, (value) => {
        const copy = guestClone(value);
        expect(copy).toEqual(structuredClone(value));
        if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  test("keeps cycles and shared parts", () => {
    const shared = { a: 1 };
    const value = { shared, list: [shared], map: new Map<unknown, unknown>(), self: null as unknown };
    value.self = value;
    value.map.set(value, new Set([value.map]));
    const copy = guestClone(value);
    expect(copy.self).toBe(copy);
    expect(copy.list[0]).toBe(copy.shared);
    expect([...(copy.map.get(copy) as Set<unknown>)][0]).toBe(copy.map);
    const { buffer } = new Uint8Array(4);
    const views = guestClone({ a: new Uint8Array(buffer, 1, 2), b: new DataView(buffer) });
    expect(views.a.buffer).toBe(views.b.buffer);
    expect(views.a.byteOffset).toBe(1);
  });

  test("copies errors, patterns and instances as plain objects", () => {
    class Point {
      x = 1;
      get y() {
        return 2;
      }
    }
    for (const value of [/a/gi, new RangeError("x", { cause: [1] }), new Point(), Object.create(null)]) {
      expect(guestClone(value)).toStrictEqual(structuredClone(value));
    }
    expect(guestClone(new RangeError("x"))).toBeInstanceOf(RangeError);
  });

  test.each([() => 1, Symbol("s"), Promise.resolve(), new WeakMap(), new WeakRef({}), { deep: [() => 1] }])(
    "rejects what cannot be copied, as Node's does: %s",
    (value) => {
      expect(outcome(() => structuredClone(value))).toBe("DataCloneError");
      expect(outcome(() => guestClone(value))).toBe("DataCloneError");
    },
  );

  test("transfers nothing", () => {
    const { buffer } = new Uint8Array(1);
    expect(outcome(() => guestClone(buffer, { transfer: [buffer] }))).toBe("DataCloneError");
    expect(guestClone(1, { transfer: [] })).toBe(1);
  });
});

test("queueMicrotask runs its argument afterwards", async () => {
  const steps: number[] = [];
  queueMicrotask(() => void steps.push(2));
  steps.push(1);
  await Promise.resolve();
  expect(steps).toEqual([1, 2]);
  expect(() => queueMicrotask(5 as never)).toThrow("queueMicrotask: expected a function, got a number");
});

describe("console", () => {
  afterEach(() => bindHost(undefined));

  test("writes what the log writes", () => {
    const host = makeHost();
    bindHost(host);
    guestConsole.trace("a");
    guestConsole.debug("%s is %d%%, %j", "x", 5, { a: [1] }, "rest");
    guestConsole.log();
    guestConsole.info(undefined, null, [1, "a"], { b: true }, () => 1, 1n);
    guestConsole.warn("100%", "%s");
    const circular: Record<string, unknown> = { a: 1 };
    circular["self"] = circular;
    guestConsole.error(circular, new TypeError("x").message);
    guestConsole.assert(true, "no");
    guestConsole.assert(false, "because");
    guestConsole.assert(false);
    expect(host.lines).toEqual([
      [0, "a"],
      [1, 'x is 5%, {"a":[1]} rest'],
      [2, ""],
      [2, 'undefined null [1,"a"] {"b":true} [function ] 1'],
      [3, "100% %s"],
      [4, '{"a":1,"self":"[circular]"} x'],
      [4, "Assertion failed: because"],
      [4, "Assertion failed"],
    ]);
  });

  test("is silent without an engine, and never throws for its arguments", () => {
    expect(() => guestConsole.log("x")).not.toThrow();
    bindHost(makeHost());
    const nasty = [
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
      Object.create(null),
      new Proxy({}, {}),
      Symbol("s"),
    ];
    expect(() => guestConsole.log(...nasty, "%d %s")).not.toThrow();
    expect(() => guestConsole.log("%d %i %f %s %o", ...nasty, Symbol("x"))).not.toThrow();
    expect(() => guestConsole.log("%d %i %f", Symbol("x"), Object.create(null), Symbol("x"))).not.toThrow();
  });
});
