import { describe, expect, test } from "vitest";
import { isolatedCopy } from "../../../src/hosts/openclaw/isolation.ts";
import { ownMs } from "../../helpers/proportion.ts";
import { call, hosted, question, recording } from "./hosted.ts";

const sharedMemory = () => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
const shared = () => new SharedArrayBuffer(8);

const LEAKS: Readonly<Record<string, () => unknown>> = {
  "a function": () => () => 1,
  "shared memory": shared,
  "shared memory under a typed array": () => new Uint8Array(shared()),
  "shared memory under a view": () => new DataView(shared()),
  "shared wasm memory": sharedMemory,
  "the buffer of shared wasm memory": () => sharedMemory().buffer,
  "a function in an error's cause": () => new Error("x", { cause: { call: () => 1 } }),
  "shared memory in an error's cause": () => new Error("x", { cause: shared() }),
  "shared memory as a map's value": () => new Map([["k", shared()]]),
  "shared memory as a map's key": () => new Map([[shared(), "v"]]),
  "shared memory in a set": () => new Set([shared()]),
  "a proxy": () => new Proxy({}, {}),
  "shared memory behind a getter": () => ({
    get late() {
      return shared();
    },
  }),
};

describe("an event that handlers could share", () => {
  test.each(Object.keys(LEAKS))(
    "OC-10: is refused before any of them is called, even failing open: %s",
    async (name) => {
      const { host } = hosted({ failurePolicy: { before_tool_call: "open" } });
      const seen = recording();
      host.on("before_tool_call", seen.handler);
      const params = { deep: [{ leak: LEAKS[name]!() }] };
      await expect(host.run("before_tool_call", { toolName: "exec", params })).rejects.toThrow(
        "mutable input isolation failed",
      );
      const ran = await host.toolCall({ ...call, params }, { execute: () => expect.unreachable() });
      expect(ran.status).toBe("blocked");
      expect(seen.events).toEqual([]);
    },
  );

  test("OC-11: is copied without calling its own iterators, or reading the elements of an array", async () => {
    const hostile = (): never => {
      throw new Error("called");
    };
    const map = Object.assign(new Map([["k", { v: 1 }]]), {
      [Symbol.iterator]: hostile,
      entries: hostile,
      forEach: hostile,
    });
    const set = Object.assign(new Set([1, 2]), { [Symbol.iterator]: hostile, values: hostile });
    const bytes = new Uint8Array(1_048_576);
    const copy = isolatedCopy({ map, set, bytes }, "the event");
    const copying = await ownMs(() => isolatedCopy({ bytes }, "the event"));
    expect(copying).toBeLessThan(await ownMs(() => Object.keys(bytes)));
    expect([copy.map.get("k"), [...(copy.set as Set<number>)], copy.bytes.length]).toEqual([
      { v: 1 },
      [1, 2],
      1_048_576,
    ]);
    expect(copy.map.get("k")).not.toBe(map.get("k"));
    expect(copy.bytes.buffer).not.toBe(bytes.buffer);
  });

  test("OC-12: rejects parameters to be approved that cannot be copied, and asks no other handler", async () => {
    const { host } = hosted({ failurePolicy: { before_tool_call: "open" } });
    const low = recording();
    host.on("before_tool_call", () => ({ ...question(), params: { run: () => 1 } }), { priority: 5 });
    host.on("before_tool_call", low.handler);
    await expect(host.run("before_tool_call", { ...call })).rejects.toThrow("mutable input isolation failed");
    expect(low.events).toEqual([]);
  });

  test("is copied with its cycles", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    const copy = isolatedCopy(ring, "the event");
    expect(copy.self).toBe(copy);
    expect(copy).not.toBe(ring);
  });
});
