import { expect } from "vitest";

/** Times below this are not worth a failure, whatever the proportion. */
const FLOOR_MS = 50;

/** Processor time of this process in milliseconds, which other processes hardly affect. */
export async function ownMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Eight times the size may take up to 24 times as long (caches, compilers, collected garbage), but not 64 times.
 * Compares the best of three runs of each size; the large size is repeated only if it took too long.
 */
export async function staysInProportion(work: (size: number) => unknown, size: number): Promise<void> {
  let best = await ownMs(() => work(size));
  if (best < FLOOR_MS) return;
  const small: number[] = [];
  for (let round = 0; round < 3; round++) small.push(await ownMs(() => work(size / 8)));
  const limit = Math.max(24 * Math.min(...small), FLOOR_MS);
  for (let round = 1; round < 3 && best >= limit; round++) best = Math.min(best, await ownMs(() => work(size)));
  expect(best).toBeLessThan(limit);
}
