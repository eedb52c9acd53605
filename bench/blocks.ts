/**
 * Measures cases against each other on a shared machine. All cases alternate in short blocks, in a new order each
 * round, so that a slow minute slows all of them. The result of a case is the median of its blocks' medians. Ratios of
 * results are reproducible even if the results are not.
 */

export interface Case {
  readonly name: string;
  /** Runs one operation. */
  run(): Promise<unknown> | unknown;
  /** The number of operations in a block. */
  readonly perBlock: number;
  /** The number of operations that one run does concurrently. Times are per operation. Default: 1. */
  readonly operationsPerRun?: number;
  /** Called before each operation, and not timed. */
  pause?(): unknown;
  /** Called before each block, and not timed. */
  before?(): unknown;
  /** Called once after all rounds. */
  after?(): unknown;
  readonly facts?: Facts;
}

/** Values that do not vary between calls. Their names contain the units. */
export type Facts = Readonly<Record<string, number>>;

export interface Figure {
  readonly name: string;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly samples: number;
  readonly facts?: Facts;
}

const WARM_UP_BLOCKS = 5;
/** The duration of the warm-up. V8 compiles only hot code, which takes some thousand runs of a request. */
const WARM_UP_MS = 1_500;

export async function measure(cases: readonly Case[], rounds: number): Promise<readonly Figure[]> {
  const medians = new Map<Case, number[]>(cases.map((one) => [one, []]));
  const samples = new Map<Case, number[]>(cases.map((one) => [one, []]));
  // The warm-up is needed, because a resident engine has compiled code and a heap of its final size.
  for (const one of cases) {
    const start = performance.now();
    await block(one, one.pause === undefined ? one.perBlock * WARM_UP_BLOCKS : 1);
    while (performance.now() - start < WARM_UP_MS) await block(one, one.perBlock);
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of rotated(cases, round)) {
      const times = await block(one, one.perBlock);
      medians.get(one)?.push(quantile(times, 0.5));
      samples.get(one)?.push(...times);
    }
  }
  for (const one of cases) await one.after?.();
  return cases.map((one) => {
    const all = samples.get(one) ?? [];
    return {
      name: one.name,
      p50Micros: quantile(medians.get(one) ?? [], 0.5),
      p99Micros: quantile(all, 0.99),
      samples: all.length,
      ...(one.facts === undefined ? {} : { facts: one.facts }),
    };
  });
}

async function block(one: Case, operations: number): Promise<number[]> {
  await one.before?.();
  const times: number[] = [];
  for (let index = 0; index < operations; index++) {
    if (one.pause !== undefined) await one.pause();
    const start = process.hrtime.bigint();
    await one.run();
    times.push(Number(process.hrtime.bigint() - start) / 1_000 / (one.operationsPerRun ?? 1));
  }
  return times;
}

/** Rotates the order, so that every case is first in some rounds and last in others. Every other round is reversed. */
function rotated<Item>(items: readonly Item[], round: number): readonly Item[] {
  const at = round % items.length;
  const turned = [...items.slice(at), ...items.slice(0, at)];
  return round % 2 === 0 ? turned : turned.reverse();
}

function quantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
