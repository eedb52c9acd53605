import { describe, expect, test } from "vitest";
import type { StateGrant } from "../../src/grants.ts";
import fc from "../helpers/fc.ts";
import { DrivenHost } from "./guest-host.ts";

const GRANT: StateGrant = { maxKeys: 3, maxBytes: 64 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function hostWith(kept: Record<string, string> = {}, state: StateGrant = GRANT): DrivenHost {
  const values = new Map(Object.entries(kept).map(([key, text]) => [key, bytes(text)]));
  return new DrivenHost({ grants: { state }, task: { state: values } });
}

function get(driven: DrivenHost, key: string): string | undefined {
  const block = driven.call("var_get", driven.store(key)) as bigint;
  return block === 0n ? undefined : driven.text(block);
}

function set(driven: DrivenHost, key: string, value: string | undefined): void {
  driven.call("var_set", driven.store(key), value === undefined ? 0n : driven.store(value));
}

const changesOf = (driven: DrivenHost): unknown =>
  driven.host.effects?.state?.map(([key, value]) => [key, value === null ? null : new TextDecoder().decode(value)]);

describe("a guard's state variables", () => {
  test("have the stored values, and no value if none was stored", () => {
    const driven = hostWith({ a: "one", empty: "" });
    expect([get(driven, "a"), get(driven, "empty"), get(driven, "b"), get(driven, "__proto__")]).toEqual([
      "one",
      "",
      undefined,
      undefined,
    ]);
    expect(driven.host.effects).toBeUndefined();
  });

  test("show the call its own changes, which its effects record", () => {
    const driven = hostWith({ a: "one", b: "two" });
    set(driven, "a", "three");
    set(driven, "b", undefined);
    set(driven, "c", "four");
    expect(["a", "b", "c"].map((key) => get(driven, key))).toEqual(["three", undefined, "four"]);
    expect(changesOf(driven)).toEqual([
      ["a", "three"],
      ["b", null],
      ["c", "four"],
    ]);
  });

  test("that are set and removed in one call are no effect", () => {
    const driven = hostWith();
    set(driven, "a", "one");
    set(driven, "a", undefined);
    set(driven, "b", undefined);
    expect(driven.host.effects).toBeUndefined();
  });

  test("keep the content of a block at the time when they were set", () => {
    const driven = hostWith();
    const block = driven.store("before");
    driven.call("var_set", driven.store("a"), block);
    for (const [index, byte] of bytes("after.").entries()) driven.call("store_u8", block + BigInt(index), byte);
    driven.call("free", block);
    expect(get(driven, "a")).toBe("before");
    expect(changesOf(driven)).toEqual([["a", "before"]]);
  });

  test("are gone in the next call of the same thread", () => {
    const driven = hostWith({ a: "one" });
    set(driven, "b", "two");
    driven.begin({ grants: { state: GRANT } });
    expect([get(driven, "a"), get(driven, "b")]).toEqual([undefined, undefined]);
    expect(driven.host.effects).toBeUndefined();
  });

  test("that are read give a copy", () => {
    const kept = new Map([["a", bytes("one")]]);
    const driven = new DrivenHost({ grants: { state: GRANT }, task: { state: kept } });
    driven.call("store_u8", driven.call("var_get", driven.store("a")) as bigint, 0x58);
    expect(get(driven, "a")).toBe("one");
    expect(kept.get("a")).toEqual(bytes("one"));
  });
});

describe("the limits of a grant", () => {
  test("count keys and values, in bytes, and name what was too much", () => {
    // 1 + 63 bytes are exactly the limit; every byte of a key counts, too.
    set(hostWith(), "a", "x".repeat(63));
    const refused = hostWith().refusal((driven) => set(driven, "é", "x".repeat(63)));
    expect(refused).toMatchObject({ kind: "memory", limit: 64, value: 65 });
    expect(refused.message).toBe("guest ABI: variables of 65 bytes; the limit is 64");
    const more = hostWith({ a: "x".repeat(40) }).refusal((driven) => set(driven, "b", "x".repeat(23)));
    expect(more).toMatchObject({ kind: "memory", limit: 64, value: 65 });
  });

  test("bound the number of keys", () => {
    const driven = hostWith({ a: "", b: "" });
    set(driven, "c", "");
    set(driven, "a", "again");
    expect(driven.refusal(() => set(driven, "d", ""))).toMatchObject({ kind: "memory", limit: 3, value: 4 });
  });

  test("count no removed keys", () => {
    const driven = hostWith({ a: "x".repeat(60), b: "", c: "" });
    for (const key of ["a", "b", "c"]) set(driven, key, undefined);
    for (const key of ["d", "e", "f"]) set(driven, key, "x".repeat(20));
    expect(get(driven, "f")).toBe("x".repeat(20));
  });

  test("let a guard remove what was stored under a larger grant, and add nothing to it", () => {
    const kept = { a: "x".repeat(100), b: "1", c: "2", d: "3" };
    const driven = hostWith(kept);
    set(driven, "a", undefined);
    set(driven, "b", "1");
    expect(get(driven, "d")).toBe("3");
    expect(hostWith(kept).refusal((one) => set(one, "b", "2"))).toMatchObject({ kind: "memory", limit: 3 });
  });

  test("include the length of a key, which is at most 256 bytes", () => {
    const grant = { maxKeys: 3, maxBytes: 10_000 };
    set(hostWith({}, grant), "k".repeat(256), "");
    for (const call of [set, get]) {
      const refused = hostWith({}, grant).refusal((driven) => call(driven, "é".repeat(129), ""));
      expect(refused).toMatchObject({ kind: "memory", limit: 256, value: 258 });
    }
  });

  test("include everything that one call sets, even if it sets the same key again", () => {
    const driven = hostWith({}, { maxKeys: 1, maxBytes: 2 ** 20 });
    const [key, value] = [driven.store("a"), driven.alloc(2 ** 19)];
    for (let round = 0; round < 8; round += 1) driven.call("var_set", key, value);
    expect(driven.refusal(() => driven.call("var_set", key, value))).toMatchObject({ kind: "memory", limit: 2 ** 22 });
  });

  test("leave no effect of a call that has failed, whatever it does afterwards", () => {
    const driven = hostWith();
    set(driven, "a", "fine");
    const refused = driven.refusal(() => set(driven, "b", "x".repeat(100)));
    set(driven, "a", "fine");
    expect(driven.host.failure).toBe(refused);
  });
});

describe("a key", () => {
  test("that is not UTF-8 is refused, because two such keys could be equal as text", () => {
    for (const key of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const refused = hostWith().refusal((driven) => driven.call("var_get", driven.store(Uint8Array.from(key))));
      expect(refused).toMatchObject({ kind: "trap", message: "guest ABI: var_get with a key that is not UTF-8" });
    }
  });

  test("may begin with a byte order mark, which is part of it", () => {
    const driven = hostWith({ "\ufeffa": "marked", a: "plain" });
    expect([get(driven, "\ufeffa"), get(driven, "a")]).toEqual(["marked", "plain"]);
  });

  test("or a value in no block is refused", () => {
    expect(hostWith().refusal((driven) => driven.call("var_get", 8n))).toMatchObject({ kind: "trap" });
    expect(hostWith().refusal((driven) => driven.call("var_set", 0n, 0n))).toMatchObject({ kind: "trap" });
    expect(hostWith().refusal((driven) => driven.call("var_set", driven.store("a"), -8n))).toMatchObject({
      kind: "trap",
    });
  });
});

test("a guard that sets and removes keys sees what a map would contain, and its effects make this of the stored state", () => {
  const key = fc.constantFrom("a", "b", "é", "", "__proto__", "toString");
  const value = fc.option(fc.string({ maxLength: 12, unit: "binary" }), { nil: undefined, freq: 4 });
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.string({ maxLength: 5 }), { maxKeys: 3 }),
      fc.array(fc.tuple(key, value), { maxLength: 30 }),
      (kept, steps) => {
        const driven = hostWith(kept);
        const model = new Map(Object.entries(kept).map(([name, text]) => [name, bytes(text)]));
        const before = new Map(model);
        for (const [name, text] of steps) {
          const next = new Map(model);
          if (text === undefined) next.delete(name);
          else next.set(name, bytes(text));
          const size = [...next].reduce((sum, [one, content]) => sum + bytes(one).length + content.length, 0);
          if (text !== undefined && (next.size > GRANT.maxKeys || size > GRANT.maxBytes)) {
            expect(driven.refusal(() => set(driven, name, text))).toMatchObject({ kind: "memory" });
            return;
          }
          set(driven, name, text);
          if (text === undefined) model.delete(name);
          else model.set(name, bytes(text));
          for (const one of ["a", "b", "é", "", "__proto__"]) {
            const seen = driven.call("var_get", driven.store(one)) as bigint;
            const expected = model.get(one);
            expect(seen === 0n ? undefined : driven.load(seen, Number(driven.call("length", seen)))).toEqual(
              expected === undefined ? undefined : [...expected],
            );
          }
        }
        for (const [name, content] of driven.host.effects?.state ?? []) {
          if (content === null) expect(before.delete(name)).toBe(true);
          else before.set(name, content);
        }
        expect(new Map([...before].sort())).toEqual(new Map([...model].sort()));
      },
    ),
    { numRuns: 60 },
  );
});
