import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { SANDBOX_FLAGS } from "../../src/sandbox/pool/process/flags.ts";
import type { ProcessOptions } from "../../src/sandbox/pool/process/sandbox-process.ts";
import { findBrokenLimit } from "../../src/sandbox/pool/self-test.ts";
import { ThreadPool } from "../../src/sandbox/pool/thread-pool.ts";
import { guest, wat } from "../helpers/guests.ts";
import { probeSource } from "../helpers/self-test-probe.ts";
import { sampleOf } from "../helpers/tier.ts";
import { guestTask } from "./guest-task.ts";
import { admitted } from "./module-requirements.ts";
import { never, openProcessPool, processTask } from "./process-pools.ts";

/** Every limit that the sandbox relies on, broken on purpose: no guest runs, and the failure names the limit. */

test("the module of the self-test is what admission makes from its WAT", async () => {
  const source = new URL("../../src/sandbox/pool/self-test-probe.ts", import.meta.url);
  expect(readFileSync(source, "utf8")).toBe(await probeSource());
});

/** The probe without metering, or with other maxima: like a defect of admission, or a V8 that ignores the limits. */
function probe(
  parts: { memory?: string; table?: string; spin?: string; recurse?: string } = {},
): Uint8Array<ArrayBuffer> {
  const { memory = "1 2", table = "1 10000", spin = SPENDS, recurse = SINKS } = parts;
  return wat(`(module (memory ${memory}) (table $t ${table} funcref)
    (global $fuel (export "hookbox:fuel") (mut i64) (i64.const 0))
    (global $depth (export "hookbox:depth") (mut i64) (i64.const 0))
    (func (export "spin") (param i32) ${spin})
    (func $r (export "recurse") (param i32) ${recurse})
    (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
    (func (export "grow_table") (param i32) (result i32) (table.grow $t (ref.null func) (local.get 0))))`);
}
const SPENDS = "(global.set $fuel (i64.const -1)) unreachable";
const SINKS = "(global.set $depth (i64.const -1)) unreachable";

const BROKEN = [
  ["fuel", { spin: "" }],
  ["depth", { recurse: "" }],
  ["depth", { recurse: "(call $r (local.get 0))" }],
  ["memory", { memory: "1 3" }],
  ["table", { table: "1 10001" }],
] as const;

describe("in a thread", () => {
  test("every limit holds, and the test takes little time", () => {
    expect(findBrokenLimit({ depth: 50_000 })).toBeUndefined();
    expect(findBrokenLimit({ probe: probe() })).toBeUndefined();
  });

  test.each(BROKEN)("%s that does not hold is named", (limit, parts) => {
    expect(findBrokenLimit({ probe: probe(parts) })).toMatchObject({ limit });
  });

  test("a module that does not run proves nothing", () => {
    expect(findBrokenLimit({ probe: new Uint8Array([1, 2, 3]) })).toMatchObject({ limit: "probe" });
  });

  test("a pool in which a limit does not hold runs no guest, and says so by name", async () => {
    const pool = new ThreadPool({ threads: 1 }, undefined, { probe: probe({ memory: "1 3" }) });
    try {
      expect(await pool.run(guestTask(await admitted(guest("allows"))), never())).toMatchObject({
        kind: "failed",
        failure: {
          kind: "unavailable",
          code: "HOOK_SANDBOX_UNFIT",
          message: expect.stringContaining('the sandbox\'s limit "memory" does not work'),
        },
      });
    } finally {
      await pool.close();
    }
  });
});

const PIPES = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;

describe("in a process", () => {
  const [memoryFlag, tableFlag] = SANDBOX_FLAGS as readonly [string, string];
  test.each<readonly [string, string, Partial<ProcessOptions>]>([
    ...sampleOf(BROKEN, 3, () => "probe").map(
      ([limit, parts]) => [limit, "a broken probe", { probe: probe(parts) }] as const,
    ),
    ["max-memory", "without V8's cap on memories", { flags: [tableFlag] }],
    ["max-table", "without V8's cap on tables", { flags: [memoryFlag] }],
    ["environment", "with a variable in its environment", { env: { SECRET: "x" } }],
    ["folder", "in a folder that is not empty", { folder: import.meta.dirname }],
    ["stdio", "with an output that leads somewhere", { stdio: ["ignore", "pipe", "ignore", ...PIPES.slice(3)] }],
    ["kill", "where a kill does not end it", { killSignal: "SIGCONT" }],
  ])("%s that does not hold (%s) keeps every guest from running", async (limit, _, processes) => {
    const pool = openProcessPool({}, processes);
    const task = await processTask(guest("allows"));
    for (let call = 0; call < 2; call += 1) {
      await expect(pool.run(task, never())).rejects.toMatchObject({
        name: "BrokenSandbox",
        code: "HOOK_SANDBOX_UNFIT",
        message: expect.stringContaining(`limit "${limit}" does not work`),
      });
    }
  });

  test("a flag that Node does not know is reported, and no guest runs", async () => {
    const pool = openProcessPool({}, { flags: ["--no-such-flag"] });
    const task = await processTask(guest("allows"));
    await expect(pool.run(task, never())).rejects.toThrow(
      "no sandbox process can be started: the last one ended with code 9",
    );
  });
});

test("an engine reports its own sandbox, and accepts no other value for it", async () => {
  await expect(createEngine({ sandbox: { boundary: "thraed" as "thread" } })).rejects.toMatchObject({
    code: "HOOK_API_MISUSE",
    message: expect.stringContaining("sandbox.boundary must be one of thread, process"),
  });
});
