import { expect, onTestFinished, test, vi } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { GuestPool } from "../../../src/sandbox/pool/guest-pool.ts";
import { count, countingRule } from "./counting-guest.ts";

/**
 * A pool that loses the first attempt of each call after the guard has answered, like a process that dies at that time.
 */
vi.mock(import("../../../src/sandbox/pool/thread-pool.ts"), async (original) => {
  const { ThreadPool } = await original();
  class RetryingPool extends ThreadPool {
    override async run(...call: Parameters<GuestPool["run"]>): ReturnType<GuestPool["run"]> {
      await super.run(...call);
      return super.run(...call);
    }
  }
  return { ThreadPool: RetryingPool };
});

test("a call that a pool makes twice is counted once", async () => {
  const executor = new WasmExecutor({ threads: 2 });
  onTestFinished(() => executor.close());
  const rule = countingRule();
  const counts = await Promise.all([1, 2, 3, 4, 5, 6].map(() => count(rule, "s", executor)));
  expect(counts).toEqual([1, 2, 3, 4, 5, 6]);
});
