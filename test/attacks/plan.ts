import type { Boundary } from "../../src/executors/wasm/pool/guest-pool.ts";
import type { Decision, FailureKind } from "../../src/outcome.ts";

/** What the tests and the process that they besiege tell each other, by files. */

export interface PlannedAttack {
  readonly name: string;
  readonly calls: number;
  readonly sessions?: "one" | "each" | undefined;
}

export interface Plan {
  readonly engine: string;
  readonly config: object;
  readonly boundary: Boundary;
  readonly attacks: readonly PlannedAttack[];
  readonly ordinary: readonly {
    readonly tool: string;
    readonly command: string;
    readonly decision: Decision | "none";
  }[];
  readonly threads: number;
  /** How many attacks run at a time. */
  readonly lanes: number;
  readonly seed: number;
  /** Whether what the process uses is looked at before and after, which takes a rest each time. */
  readonly isWatched: boolean;
  /** The attack that only counts, and so says how fast fuel burns here and now. */
  readonly counting: string;
  readonly report: string;
}

export interface Outcome {
  readonly name: string;
  readonly decision: Decision | "none";
  readonly reason: string | null;
  readonly kind: FailureKind | null;
  readonly code: string | null;
  readonly ms: number;
  readonly log: string;
}

export interface Resources {
  /** With the processes that it has started, where the system tells. */
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** Of the whole process; -1 where the system does not tell. */
  readonly threads: number;
  readonly descriptors: number;
  readonly processes: number;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  readonly problems: readonly string[];
  /** Ordinary calls whose verdict was not the known one. */
  readonly wrong: readonly string[];
  readonly quietP99Ms: number;
  readonly besiegedP99Ms: number;
  readonly ordinaryCalls: number;
  /** To burn the default fuel, alone and with as many at a time as there were attacks. */
  readonly burnMs: number;
  readonly burnTogetherMs: number;
  readonly before: Resources;
  readonly after: Resources;
  readonly prototype: readonly string[];
}
