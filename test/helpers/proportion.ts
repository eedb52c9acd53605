import { expect } from "vitest";

/** Below this nobody waits, whatever the proportion. */
const FLOOR_MS = 50;

/** Processor time of this process, which other processes do not change much. */
export async function ownMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Eight times the size may take twenty-four times as long (caches, compilers, collected garbage), and not sixty-four
 * times. The best of three, where the first is above the floor.
 */
export async function staysInProportion(work: (size: number) => unknown, size: number): Promise<void> {
  const once = await ownMs(() => work(size));
  if (once < FLOOR_MS) return;
  const best = async (size: number): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) times.push(await ownMs(() => work(size)));
    return Math.min(...times);
  };
  const small = await best(size / 8);
  expect(Math.min(once, await best(size))).toBeLessThan(Math.max(24 * small, FLOOR_MS));
}
