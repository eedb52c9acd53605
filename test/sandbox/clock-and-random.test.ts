import { describe, expect, test } from "vitest";
import type { Grants } from "../../src/grants.ts";
import type { GuestTask } from "../../src/sandbox/guest/protocol.ts";
import { DrivenHost } from "./guest-host.ts";

const hostWith = (grants: Grants, task: Partial<GuestTask> = {}, input = "event"): DrivenHost =>
  new DrivenHost({ grants, task, input });
const times = <Value>(count: number, read: () => Value): Value[] => Array.from({ length: count }, read);
const readClock = (driven: DrivenHost, count = 3): unknown[] => times(count, () => driven.call("clock_now"));
const readRandom = (driven: DrivenHost, count = 5): unknown[] => times(count, () => driven.call("random_bits"));

test("both are refused without a grant", () => {
  for (const [name, grant] of [
    ["clock_now", "clock"],
    ["random_bits", "random"],
  ] as const) {
    const failure = hostWith({ wasi: true }).refusal((driven) => driven.call(name));
    expect(failure).toMatchObject({ kind: "capability", message: `${name} needs a grant of "${grant}"` });
  }
});

describe("a fixed clock", () => {
  const start = BigInt(Date.UTC(2000, 0, 1));

  test("starts at the same time in each call, and advances by a millisecond with each reading", () => {
    const driven = hostWith({ clock: "fixed" });
    expect(readClock(driven)).toEqual([start, start + 1n, start + 2n]);
    driven.begin({ grants: { clock: "fixed" } });
    expect(readClock(driven, 1)).toEqual([start]);
  });

  test("starts at the time that a fixture sets, and replaces a real clock", () => {
    for (const clock of ["fixed", "real"] as const) {
      const driven = hostWith({ clock }, { given: { nowMs: 1_700_000_000_000.7 } });
      expect(readClock(driven, 2)).toEqual([1_700_000_000_000n, 1_700_000_000_001n]);
    }
  });

  test("is the default in a fixture that sets no time", () => {
    expect(readClock(hostWith({ clock: "real" }, { given: {} }), 1)).toEqual([start]);
  });
});

test("a real clock is the machine's", () => {
  const before = BigInt(Date.now());
  const [now] = readClock(hostWith({ clock: "real" }), 1) as [bigint];
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(BigInt(Date.now()));
});

describe("the random numbers of a seed", () => {
  // Computed without this code: sha256(sha256("event") + number), number as eight bytes, little-endian; in Python with
  // hashlib, read with struct.unpack("<4Q").
  const OF_EVENT = [
    8041315266150423051n,
    2074519366898791614n,
    3779047715484981195n,
    460098777656105704n,
    5545728402206568001n,
  ];

  test("depend on the event, and are the same on every machine and every Node version", () => {
    expect(readRandom(hostWith({ random: "seeded" }))).toEqual(OF_EVENT);
  });

  test("start again in each call, wherever the last one stopped", () => {
    const driven = hostWith({ random: "seeded" });
    readRandom(driven, 2);
    driven.begin({ grants: { random: "seeded" }, input: "event" });
    expect(readRandom(driven)).toEqual(OF_EVENT);
  });

  test("differ for another event", () => {
    const others = readRandom(hostWith({ random: "seeded" }, {}, "event "), 8);
    expect(others.filter((bits) => OF_EVENT.includes(bits as bigint))).toEqual([]);
  });

  test("replace real ones in a fixture", () => {
    expect(readRandom(hostWith({ random: "real" }, { given: {} }))).toEqual(OF_EVENT);
  });

  test("have 64 bits each, all of which vary", () => {
    let [ones, zeros] = [0n, 0n];
    for (const bits of readRandom(hostWith({ random: "seeded" }), 200) as bigint[]) {
      expect(bits).toBe(BigInt.asUintN(64, bits));
      ones |= bits;
      zeros |= BigInt.asUintN(64, ~bits);
    }
    expect([ones, zeros]).toEqual([2n ** 64n - 1n, 2n ** 64n - 1n]);
  });
});

describe("real random numbers", () => {
  test("are never the same twice, in one call or in two", () => {
    const driven = hostWith({ random: "real" });
    const first = readRandom(driven, 100);
    driven.begin({ grants: { random: "real" }, input: "event" });
    expect(new Set([...first, ...readRandom(driven, 100)]).size).toBe(200);
  });

  test("do not affect a call that is granted seeded ones", () => {
    const driven = hostWith({ random: "real" });
    readRandom(driven, 3);
    driven.begin({ grants: { random: "seeded" }, input: "event" });
    expect(readRandom(driven)).toEqual(readRandom(hostWith({ random: "seeded" })));
  });
});
