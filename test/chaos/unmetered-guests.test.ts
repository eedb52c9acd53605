import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { GuestTask } from "../../src/sandbox/guest/protocol.ts";
import { deadline } from "../executors/wasm/wasm-rule.ts";
import { guest, wat } from "../helpers/guests.ts";
import { busyPid, isAlive, never, openProcessPool, processTask, settled } from "../sandbox/process-pools.ts";

/**
 * Guests that no fuel ends, because metering was left out on purpose: their process is killed, and its processor is
 * free.
 */

vi.setConfig({ testTimeout: 60_000 });

const FILL = "(memory.fill (i32.const 0) (i32.const 1) (i32.const 16777216))";
const UNMETERED = {
  "straight-line code of 20,000 memory.fill": FILL.repeat(20_000),
  "a loop of memory.fill": `(loop $l ${FILL} (br $l))`,
  "a loop of nothing": "(loop $l (br $l))",
};

/** Returns a module with our exports and without metering. */
async function unmetered(body: string): Promise<GuestTask> {
  const bytes = wat(`(module (memory (export "hookbox:memory") 256)
    (global (export "hookbox:fuel") (mut i64) (i64.const 0)) (global (export "hookbox:depth") (mut i64) (i64.const 0))
    (func (export "handle") (result i32) ${body} (i32.const 0)))`);
  const task = await processTask(guest("denies"));
  if (task.setup === undefined) throw new Error("no setup");
  const state = { memory: "hookbox:memory", fuel: "hookbox:fuel", depth: "hookbox:depth", globals: undefined };
  const setup = {
    ...task.setup,
    moduleKey: `unmetered:${body.length}`,
    module: { bytes, state, codeBytes: bytes.byteLength, isLight: true },
  };
  return { ...task, setup };
}

/** Returns the milliseconds of processor time that a process has used. */
function usedMs(pid: number): number {
  try {
    const [, , , , , , , , , , , user, system] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(user) + Number(system)) * 10;
  } catch {
    return 0;
  }
}

test.runIf(process.platform === "linux").each(Object.entries(UNMETERED))(
  "%s is killed, and the processor is free within a second",
  async (_, body) => {
    const pool = openProcessPool();
    await settled(pool, 2);
    const stop = deadline();
    const call = pool.run(await unmetered(body), stop.signal);
    const outcome = expect(call).rejects.toMatchObject({ name: "GuestLost" });
    const pid = await busyPid(pool);
    await vi.waitFor(() => expect(usedMs(pid)).toBeGreaterThan(100), { timeout: 20_000 });
    const before = usedMs(pid);
    await vi.waitFor(() => expect(usedMs(pid)).toBeGreaterThan(before + 50), { timeout: 20_000 });
    stop.pass();
    await outcome;
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000, interval: 5 });
    const left = await settled(pool, 2);
    const used = left.map(usedMs);
    await sleep(500);
    left.forEach((one, index) => {
      expect(usedMs(one) - (used[index] ?? 0)).toBeLessThan(150);
    });
    await expect(pool.run(await processTask(guest("denies")), never())).resolves.toMatchObject({ kind: "answered" });
  },
);
