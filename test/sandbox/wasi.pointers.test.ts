import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PathGrant } from "../../src/grants.ts";
import { GuestFailure } from "../../src/sandbox/guest/guest-blocks.ts";
import { GuestExit } from "../../src/sandbox/guest/wasi/guest-exit.ts";
import { WASI_FUNCTIONS, type WasiFunctionName } from "../../src/sandbox/guest/wasi/wasi-abi.ts";
import { ERRNO } from "../../src/sandbox/guest/wasi/wasi-codes.ts";
import fc from "../helpers/fc.ts";
import { DrivenWasi } from "./wasi-guest.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-wasi-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "policy.txt");
writeFileSync(file, "no deploys on fridays");
const paths: readonly PathGrant[] = [{ name: "policy.txt", path: file, access: "read" }];
const withFiles = { grants: { wasi: true, paths } };

const NAMES = Object.keys(WASI_FUNCTIONS) as WasiFunctionName[];

describe("an invalid pointer", () => {
  const LAST = 65_536;
  test.each<[WasiFunctionName, (number | bigint)[]]>([
    ["args_sizes_get", [LAST - 3, 0]],
    ["environ_sizes_get", [0, -1]],
    ["clock_time_get", [0, 0n, LAST - 7]],
    ["clock_res_get", [0, -8]],
    ["random_get", [-1, 1]],
    ["random_get", [0, -1]],
    ["fd_read", [0, LAST - 7, 1, 0]],
    ["fd_read", [0, -8, 1, 0]],
    ["fd_read", [0, 0, 0, LAST - 3]],
    ["fd_write", [2, LAST - 15, 2, 0]],
    ["fd_write", [2, 0, 0, -1]],
    ["fd_pread", [4, -8, 1, 0n, 0]],
    ["fd_seek", [4, 0n, 0, LAST - 7]],
    ["fd_tell", [4, -1]],
    ["fd_fdstat_get", [0, LAST - 23]],
    ["fd_filestat_get", [0, LAST - 63]],
    ["fd_prestat_get", [3, LAST - 7]],
    ["fd_prestat_dir_name", [3, LAST, 1]],
    ["path_open", [3, 0, -1, 4, 0, 2n, 0n, 0, 8]],
    ["path_open", [3, 0, 512, 4, 0, 2n, 0n, 0, LAST - 3]],
    ["path_filestat_get", [3, 0, LAST - 3, 4, 0]],
    ["path_filestat_get", [3, 0, 512, 1, LAST - 63]],
    ["poll_oneoff", [LAST - 47, 0, 1, 0]],
    ["poll_oneoff", [0, LAST - 31, 1, 0]],
    ["poll_oneoff", [0, 0, 1, -1]],
  ])("is an error of %s", (name, values) => {
    const wasi = new DrivenWasi({ ...withFiles, input: "abc" });
    expect(wasi.open("policy.txt")).toBe(0);
    expect(wasi.call(name, ...values)).toBe(ERRNO.fault);
  });

  test("in a list of buffers is an error, and nothing has been read", () => {
    const wasi = new DrivenWasi({ input: "abc" });
    wasi.list(0, [1_024, 1], [65_535, 2]);
    expect(wasi.call("fd_read", 0, 0, 2, 8)).toBe(ERRNO.fault);
    expect(wasi.read(0, 10)).toBe("abc");
  });

  test("is any pointer in a guest without memory", () => {
    const wasi = new DrivenWasi({ memory: false });
    expect(wasi.call("clock_time_get", 0, 0n, 0)).toBe(ERRNO.fault);
    expect(wasi.call("random_get", 0, 1)).toBe(ERRNO.fault);
  });

  test("becomes valid once the guest has more memory", () => {
    const wasi = new DrivenWasi();
    expect(wasi.call("random_get", LAST, 8)).toBe(ERRNO.fault);
    wasi.memory.grow(1);
    expect(wasi.call("random_get", LAST, 8)).toBe(0);
  });
});

test("for any function and any arguments the guest gets a number, has ended, or is refused", () => {
  const small = fc.integer({ min: -2, max: 70 });
  const integer = fc.oneof(small, small, fc.integer(), fc.constantFrom(65_500, 65_535, 65_536, -1));
  const long = fc.oneof(fc.bigInt({ min: -3n, max: 70n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  const call = fc
    .constantFrom(...NAMES)
    .chain((name) =>
      fc.tuple(
        fc.constant(name),
        fc.tuple(...WASI_FUNCTIONS[name].params.map((type) => (type === "i64" ? long : integer))),
      ),
    );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 512 }), fc.array(call, { maxLength: 20 }), (memory, calls) => {
      const wasi = new DrivenWasi({ ...withFiles, input: "an event", function: "_start" });
      wasi.bytes(0, memory.byteLength).set(memory);
      for (const [name, values] of calls) {
        try {
          expect(wasi.call(name, ...values)).toBeGreaterThanOrEqual(0);
        } catch (error) {
          if (error instanceof GuestExit) continue;
          expect(error).toBeInstanceOf(GuestFailure);
          expect(wasi.host.failure).toBeDefined();
        }
      }
      expect(wasi.host.log.length).toBeLessThanOrEqual(65);
    }),
    { numRuns: 500 },
  );
});
