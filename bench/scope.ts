import type { Figure } from "./blocks.ts";

/** A question that the benchmarks answer. */
export interface Scope {
  readonly name: string;
  readonly question: string;
  /** The case to which all other cases are compared. */
  readonly floor: string;
  readonly goals: readonly Goal[];
  run(rounds: number): Promise<readonly Figure[]>;
}

/** An upper limit for the ratio of two cases: of their medians or of their 99th percentiles. */
export interface Goal {
  readonly name: string;
  readonly of: string;
  readonly against: string;
  readonly atMost: number;
  readonly quantile?: "p50" | "p99";
}
