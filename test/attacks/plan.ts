import type { Decision, FailureKind } from "../../src/outcome.ts";
import type { Boundary } from "../../src/sandbox/pool/guest-pool.ts";

/** The files through which the tests and the attacked process communicate. */

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
  /** How many attacks run at the same time. */
  readonly lanes: number;
  readonly seed: number;
  /** Whether the resources of the process are measured before and after, which needs a rest each time. */
  readonly isWatched: boolean;
  /** The attack that only counts, which shows how long fuel takes on this machine now. */
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
  /** Including child processes, if the system reports them. */
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** Threads of the whole process; -1 if the system does not report it. */
  readonly threads: number;
  readonly descriptors: number;
  readonly processes: number;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  readonly problems: readonly string[];
  /** Ordinary calls with an unexpected verdict. */
  readonly wrong: readonly string[];
  readonly quietP99Ms: number;
  readonly attackedP99Ms: number;
  readonly ordinaryCalls: number;
  /** Milliseconds to burn the default fuel, alone and with as many calls at the same time as there were attacks. */
  readonly burnMs: number;
  readonly burnTogetherMs: number;
  readonly before: Resources;
  readonly after: Resources;
  readonly prototype: readonly string[];
}
