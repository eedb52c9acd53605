import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PathGrant } from "../../src/grants.ts";
import { WASI_FUNCTIONS, type WasiFunctionName } from "../../src/sandbox/guest/wasi/wasi-abi.ts";
import { ERRNO } from "../../src/sandbox/guest/wasi/wasi-codes.ts";
import { DrivenWasi } from "./wasi-guest.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-wasi-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "policy.txt");
writeFileSync(file, "no deploys on fridays");
const paths: readonly PathGrant[] = [{ name: "policy.txt", path: file, access: "read" }];
const withFiles = { grants: { wasi: true, paths } };

const NAMES = Object.keys(WASI_FUNCTIONS) as WasiFunctionName[];
const FIXED_NOW = 946_684_800_000_000_000n;
const MILLISECOND = 1_000_000n;

test.each(NAMES)("%s is refused to a guest whose rule does not grant WASI", (name) => {
  const values = WASI_FUNCTIONS[name].params.map((type) => (type === "i64" ? 0n : 0));
  expect(new DrivenWasi({ grants: { clock: "fixed" } }).refusal((wasi) => wasi.call(name, ...values))).toMatchObject({
    kind: "capability",
    message: expect.stringContaining(`${name} needs a grant of "wasi"`),
  });
});

describe("the streams", () => {
  test("give the event, in pieces of the requested size, and then nothing", () => {
    const wasi = new DrivenWasi({ input: '{"tool":"ünï"}' });
    expect(wasi.read(0, 5)).toBe('{"too');
    expect(wasi.read(0, 100)).toBe('l":"ünï"}');
    expect(wasi.read(0, 100)).toBe("");
    expect(wasi.call("fd_seek", 0, 0n, 0, 16)).toBe(ERRNO.spipe);
  });

  test("take lines for the log: whole ones, and the one at the end of the call", () => {
    const wasi = new DrivenWasi();
    wasi.print(1, "one\ntw");
    wasi.print(2, "loud\n");
    wasi.print(1, "o\n\nthree");
    expect(wasi.host.log).toEqual(["info: one", "warn: loud", "info: two", "info: ", "info: three"]);
  });

  test("keep no more of the log than the limit", () => {
    const wasi = new DrivenWasi({ limits: { logLines: 3, logBytes: 100 } });
    wasi.print(2, "a\nb\nc\nd\ne\n");
    expect(wasi.host.log).toEqual(["warn: a", "warn: b", "warn: c", "1 more line was not kept"]);
    wasi.begin({ limits: { logLines: 3, logBytes: 10 } });
    for (let count = 0; count < 10; count += 1) wasi.print(2, "abc");
    expect(wasi.host.log).toEqual([`warn: ${"abc".repeat(10).slice(0, 10)}`]);
  });

  test("form the answer of a command, up to the rule's limit", () => {
    const wasi = new DrivenWasi({ function: "_start", limits: { outputBytes: 8 } });
    wasi.print(1, "{}");
    wasi.print(2, "said\n");
    expect(new TextDecoder().decode(wasi.host.output)).toBe("{}");
    expect(wasi.host.log).toEqual(["warn: said"]);
    expect(wasi.refusal(() => wasi.print(1, "1234567"))).toMatchObject({
      kind: "output-too-large",
      limit: 8,
      value: 9,
    });
  });

  test("move a limited number of bytes at a time", () => {
    const wasi = new DrivenWasi({ input: "x".repeat(60_000) });
    expect(wasi.read(0, 50_000)).toHaveLength(16_384);
    wasi.list(0, ...Array.from({ length: 100 }, () => [4_096, 1] as const));
    expect(wasi.call("fd_write", 2, 0, 100, 2_048)).toBe(0);
    expect(wasi.view.getUint32(2_048, true)).toBe(2);
    expect(wasi.call("fd_write", 2, 0, 1_025, 2_048)).toBe(ERRNO.inval);
  });

  test("of one call are not those of the next", () => {
    const wasi = new DrivenWasi({ input: "first" });
    wasi.call("fd_close", 0);
    wasi.print(1, "begun");
    wasi.begin({ input: "second" });
    expect(wasi.read(0, 100)).toBe("second");
    expect(wasi.host.log).toEqual([]);
  });
});

describe("clocks and random numbers", () => {
  test("are the same in every call, and advance with each reading", () => {
    const wasi = new DrivenWasi({ input: "event" });
    const seen = (): unknown => [wasi.time(), wasi.time(1), wasi.random(20), wasi.random(1)];
    const first = seen();
    expect((first as bigint[]).slice(0, 2)).toEqual([FIXED_NOW, FIXED_NOW + MILLISECOND]);
    wasi.begin({ input: "event" });
    expect(seen()).toEqual(first);
    wasi.begin({ input: "another" });
    expect(wasi.random(20)).not.toBe((first as unknown[])[2]);
  });

  test("are the machine's if the rule grants that, but not in a fixture's world", () => {
    const grants = { wasi: true, clock: "real", random: "real" } as const;
    const wasi = new DrivenWasi({ grants });
    expect(wasi.time()).toBeGreaterThan(FIXED_NOW * 2n - FIXED_NOW + MILLISECOND);
    const numbers = wasi.random(16);
    wasi.begin({ grants });
    expect(wasi.random(16)).not.toBe(numbers);
    wasi.begin({ grants, task: { given: { nowMs: 5 } } });
    expect([wasi.time(), wasi.random(16)]).toEqual([5n * MILLISECOND, new DrivenWasi().random(16)]);
  });

  test("support two clocks", () => {
    expect(new DrivenWasi().call("clock_time_get", 2, 0n, 0)).toBe(ERRNO.inval);
    expect(new DrivenWasi().call("clock_res_get", 7, 0)).toBe(ERRNO.inval);
  });

  test("fail at a limit for all random numbers of a call", () => {
    const wasi = new DrivenWasi();
    expect(wasi.call("random_get", 0, 65_536)).toBe(0);
    expect(wasi.refusal(() => wasi.random(1))).toMatchObject({ kind: "memory", limit: 65_536, value: 65_544 });
  });
});

describe("poll_oneoff", () => {
  const alarm = (wasi: DrivenWasi, at: number, nanoseconds: bigint, flags = 0): void => {
    wasi.bytes(at, 48).fill(0);
    wasi.view.setBigUint64(at, 42n, true);
    wasi.view.setBigUint64(at + 24, nanoseconds, true);
    wasi.view.setUint16(at + 40, flags, true);
  };

  test.each(["fixed", "real"] as const)("returns immediately from a sleep, with the %s clock", (clock) => {
    const wasi = new DrivenWasi({ grants: { wasi: true, clock } });
    const hour = 3_600_000_000_000n;
    const before = wasi.time();
    alarm(wasi, 0, hour);
    alarm(wasi, 48, hour * 2n);
    expect(wasi.call("poll_oneoff", 0, 1_024, 2, 512)).toBe(0);
    expect(wasi.view.getUint32(512, true)).toBe(1);
    expect(wasi.view.getBigUint64(1_024, true)).toBe(42n);
    expect(wasi.time() - before).toBeGreaterThanOrEqual(hour);
    expect(wasi.time() - before).toBeLessThan(hour * 2n);
  });

  test("does not wait for a past time, and reports open streams as ready", () => {
    const wasi = new DrivenWasi({ input: "abc" });
    alarm(wasi, 0, 1n, 1);
    expect(wasi.call("poll_oneoff", 0, 1_024, 1, 512)).toBe(0);
    expect(wasi.time()).toBe(FIXED_NOW + MILLISECOND);
    alarm(wasi, 0, 1n);
    wasi.bytes(48, 48).fill(0);
    wasi.view.setUint8(48 + 8, 1);
    expect(wasi.call("poll_oneoff", 0, 1_024, 2, 512)).toBe(0);
    expect(wasi.view.getUint32(512, true)).toBe(1);
    expect(wasi.view.getBigUint64(1_024 + 16, true)).toBe(3n);
    expect(wasi.call("poll_oneoff", 0, 1_024, 0, 512)).toBe(ERRNO.inval);
    expect(wasi.call("poll_oneoff", 0, 1_024, 17, 512)).toBe(ERRNO.inval);
  });

  test("fails at a limit for all events of a call, which starts again in the next call", () => {
    const wasi = new DrivenWasi();
    for (let time = 0; time < 65_536 / 16; time += 1) expect(wasi.call("poll_oneoff", 0, 2_048, 16, 4_096)).toBe(0);
    const once = () => wasi.call("poll_oneoff", 0, 2_048, 1, 4_096);
    expect(wasi.refusal(once)).toMatchObject({ kind: "capability", limit: 65_536, value: 65_537 });
    wasi.begin();
    expect(once()).toBe(0);
  });
});

describe("files", () => {
  test("that are granted can be read at any offset", () => {
    const wasi = new DrivenWasi(withFiles);
    expect(wasi.call("fd_prestat_get", 3, 0)).toBe(0);
    expect(wasi.call("fd_prestat_dir_name", 3, 64, 1)).toBe(0);
    expect(wasi.text(64, 1)).toBe("/");
    expect(wasi.open("policy.txt")).toBe(0);
    const fd = wasi.view.getUint32(8, true);
    expect(fd).toBe(4);
    expect(wasi.read(fd, 10)).toBe("no deploys");
    expect(wasi.call("fd_tell", fd, 16)).toBe(0);
    expect(wasi.view.getBigUint64(16, true)).toBe(10n);
    expect(wasi.call("fd_seek", fd, -7n, 2, 16)).toBe(0);
    expect(wasi.read(fd, 100)).toBe("fridays");
    expect(wasi.call("fd_pread", fd, 0, wasi.list(0, [1_024, 2]), 0n, 8)).toBe(0);
    expect(wasi.text(1_024, 2)).toBe("no");
    expect(wasi.call("fd_pread", fd, 0, 1, -1n, 8)).toBe(0);
    expect(wasi.view.getUint32(8, true)).toBe(0);
    for (const [by, whence] of [
      [-1n, 0],
      [0n, 3],
      [2n ** 62n, 1],
    ] as const) {
      expect(wasi.call("fd_seek", fd, by, whence, 16)).toBe(ERRNO.inval);
    }
    expect(wasi.call("fd_filestat_get", fd, 128)).toBe(0);
    expect(wasi.view.getBigUint64(128 + 32, true)).toBe(21n);
    expect(wasi.call("path_filestat_get", 3, 0, 512, wasi.put(512, "policy.txt"), 128)).toBe(0);
    expect(wasi.call("fd_close", fd)).toBe(0);
    expect(wasi.call("fd_close", fd)).toBe(ERRNO.badf);
  });

  test("do not exist without a grant", () => {
    const wasi = new DrivenWasi();
    expect([wasi.call("fd_prestat_get", 3, 0), wasi.open("policy.txt")]).toEqual([ERRNO.badf, ERRNO.badf]);
  });

  test.each(["/etc/passwd", "../policy.txt", "policy.txt/../x", "other.txt", "POLICY.TXT"])(
    "with another name end the call: %s",
    (name) => {
      for (const asked of ["open", "stat"]) {
        const failure = new DrivenWasi(withFiles).refusal((wasi) =>
          asked === "open" ? wasi.open(name) : wasi.call("path_filestat_get", 3, 0, 512, wasi.put(512, name), 128),
        );
        expect(failure.kind).toBe("capability");
      }
    },
  );

  test("are never written", () => {
    const wasi = new DrivenWasi(withFiles);
    for (const flags of [1, 4, 8]) expect(wasi.open("policy.txt", { flags })).toBe(ERRNO.rofs);
    expect(wasi.open("policy.txt", { rights: 1n << 6n })).toBe(ERRNO.rofs);
    expect(wasi.open("policy.txt")).toBe(0);
    expect(wasi.print(4, "x")).toBe(ERRNO.rofs);
    expect(wasi.call("path_unlink_file", 3, 512, 10)).toBe(ERRNO.rofs);
    expect(wasi.call("fd_filestat_set_size", 4, 0n)).toBe(ERRNO.rofs);
  });

  test("are limited to sixteen at the same time, streams included", () => {
    const wasi = new DrivenWasi(withFiles);
    for (let count = 4; count < 16; count += 1) expect(wasi.open("policy.txt")).toBe(0);
    expect(wasi.open("policy.txt")).toBe(ERRNO.mfile);
    wasi.call("fd_close", 7);
    expect([wasi.open("policy.txt"), wasi.view.getUint32(8, true)]).toEqual([0, 7]);
  });

  test("have short names, in UTF-8", () => {
    const wasi = new DrivenWasi(withFiles);
    expect(wasi.call("path_open", 3, 0, 0, 4_097, 0, 2n, 0n, 0, 8)).toBe(ERRNO.nametoolong);
    wasi.bytes(512, 1).fill(0xff);
    expect(wasi.call("path_open", 3, 0, 512, 1, 0, 2n, 0n, 0, 8)).toBe(ERRNO.ilseq);
    expect([wasi.open(""), wasi.open("."), wasi.open("policy.txt", { flags: 2 })]).toEqual([
      ERRNO.noent,
      0,
      ERRNO.notsup,
    ]);
  });
});

test("there are no arguments, variables, sockets or links", () => {
  const wasi = new DrivenWasi();
  wasi.bytes(0, 8).fill(0xff);
  expect(wasi.call("args_sizes_get", 0, 4)).toBe(0);
  expect(wasi.view.getBigUint64(0, true)).toBe(0n);
  wasi.bytes(0, 8).fill(0xff);
  expect(wasi.call("environ_sizes_get", 0, 4)).toBe(0);
  expect(wasi.view.getBigUint64(0, true)).toBe(0n);
  expect(wasi.call("sock_recv", 0, 0, 0, 0, 0, 0)).toBe(ERRNO.nosys);
  expect(wasi.call("path_readlink", 3, 0, 0, 0, 0, 0)).toBe(ERRNO.inval);
});

test("a signal fails the call", () => {
  expect(new DrivenWasi().refusal((wasi) => wasi.call("proc_raise", 6))).toMatchObject({ kind: "signal", value: 6 });
});
