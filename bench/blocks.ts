/**
 * Measures cases against each other on a machine that other work shares: all cases take turns in short blocks, in a
 * new order each round, so that a slow minute slows them all; the figure of a case is the median of its blocks'
 * medians. Ratios of such figures hold where the figures themselves do not.
 */

export interface Case {
  readonly name: string;
  /** One operation. */
  run(): Promise<unknown> | unknown;
  /** Operations in a block. */
  readonly perBlock: number;
  /** How many things one run does at once; times are per thing. Default 1. */
  readonly operationsPerRun?: number;
  /** Called before a block; not timed. */
  before?(): unknown;
  /** Called once, when all rounds are over. */
  after?(): unknown;
  readonly facts?: Facts;
}

/** What does not vary from call to call. Units in the names. */
export type Facts = Readonly<Record<string, number>>;

export interface Figure {
  readonly name: string;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly samples: number;
  readonly facts?: Facts;
}

const WARM_UP_BLOCKS = 5;
/** V8 compiles what it has seen to be hot; of a request that takes some thousands. */
const WARM_UP_MS = 1_500;

export async function measure(cases: readonly Case[], rounds: number): Promise<readonly Figure[]> {
  const medians = new Map<Case, number[]>(cases.map((one) => [one, []]));
  const samples = new Map<Case, number[]>(cases.map((one) => [one, []]));
  // A resident engine is what is measured: compiled, and with a heap of the size that it needs.
  for (const one of cases) {
    const start = performance.now();
    await block(one, one.perBlock * WARM_UP_BLOCKS);
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
    const start = process.hrtime.bigint();
    await one.run();
    times.push(Number(process.hrtime.bigint() - start) / 1_000 / (one.operationsPerRun ?? 1));
  }
  return times;
}

/** Every case is first in some rounds and last in others; every other round goes backwards. */
function rotated<Item>(items: readonly Item[], round: number): readonly Item[] {
  const at = round % items.length;
  const turned = [...items.slice(at), ...items.slice(0, at)];
  return round % 2 === 0 ? turned : turned.reverse();
}

export function quantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
