import { PROBE } from "./self-test-probe.ts";

/**
 * Proves, where guests are going to run, each limit that is relied on: with a small module that has been through our
 * own admission, as every guest has. A thread or process in which one does not hold runs no guest.
 */

/** A limit that does not hold. */
export interface Unfit {
  /** One word: `fuel`, `depth`, `memory`, ... */
  readonly limit: string;
  readonly message: string;
}

/** What a rule may give its guard at most: 1,024 MiB. */
export const MAX_MEMORY_PAGES = 16_384;
/** As admission has it. */
export const MAX_TABLE_ENTRIES = 10_000;
/** What a rule may allow at most, in slots of the stack. */
export const MAX_DEPTH = 1_048_576;
const DEFAULT_DEPTH = 262_144;

/** A few rounds of the probe's loop, and more than it takes to begin. */
const FUEL = 50_000n;
/** Far more than the fuel is for, and some milliseconds where it does not count. */
const ROUNDS = 1_000;
const LOTS = 2n ** 62n;

interface ProbeExports {
  readonly spin: (rounds: number) => void;
  readonly recurse: (calls: number) => void;
  readonly grow: (pages: number) => number;
  readonly grow_table: (entries: number) => number;
  readonly "hookbox:fuel": WebAssembly.Global;
  readonly "hookbox:depth": WebAssembly.Global;
}

export interface SelfTestOptions {
  /** Another module than ours, for tests. */
  readonly probe?: Uint8Array<ArrayBuffer> | undefined;
  /**
   * How deep a guest must get before V8's own limit, in slots. Default: what rules get that do not say; what they may
   * ask for is four times that, and its proof takes four milliseconds and 8 MB of stack that are then in use for good.
   */
  readonly depth?: number;
}

/** The first limit that does not hold in this thread, if any. */
export function findBrokenLimit({ probe = PROBE, depth = DEFAULT_DEPTH }: SelfTestOptions = {}): Unfit | undefined {
  try {
    const exports = instance(probe);
    return brokenFuel(exports) ?? brokenDepth(exports, depth) ?? brokenMemory(exports) ?? brokenTable(exports);
  } catch (error) {
    return { limit: "probe", message: `the module that proves the limits cannot be run: ${String(error)}` };
  }
}

/** Runs until the process is killed: it takes a loop of `memory.fill` hours to count that far. */
export function spinForEver(): void {
  const exports = instance(PROBE);
  fill(exports, LOTS, LOTS);
  exports.spin(-1);
}

function instance(probe: Uint8Array<ArrayBuffer>): ProbeExports {
  return new WebAssembly.Instance(new WebAssembly.Module(probe)).exports as unknown as ProbeExports;
}

function fill(exports: ProbeExports, fuel: bigint, depth: bigint): void {
  exports["hookbox:fuel"].value = fuel;
  exports["hookbox:depth"].value = depth;
}

function trapOf(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function brokenFuel(exports: ProbeExports): Unfit | undefined {
  fill(exports, FUEL, LOTS);
  const trap = trapOf(() => exports.spin(ROUNDS));
  const isOut = exports["hookbox:fuel"].value < 0n;
  if (trap instanceof WebAssembly.RuntimeError && isOut) return undefined;
  return { limit: "fuel", message: "a loop went on after its fuel was spent" };
}

/** V8's own limit must not come before ours: where it stands differs from run to run. */
function brokenDepth(exports: ProbeExports, depth: number): Unfit | undefined {
  fill(exports, LOTS, BigInt(depth));
  const trap = trapOf(() => exports.recurse(depth));
  const isTooDeep = exports["hookbox:depth"].value < 0n;
  if (trap instanceof WebAssembly.RuntimeError && isTooDeep) return undefined;
  const what = trap instanceof RangeError ? "V8's own limit came first" : "it went on below its depth";
  return { limit: "depth", message: `a function called itself, and ${what}` };
}

function brokenMemory(exports: ProbeExports): Unfit | undefined {
  fill(exports, LOTS, LOTS);
  if (exports.grow(1) === 1 && exports.grow(1) === -1) return undefined;
  return { limit: "memory", message: "a memory grew beyond the maximum that is written into its module" };
}

function brokenTable(exports: ProbeExports): Unfit | undefined {
  fill(exports, LOTS, LOTS);
  if (exports.grow_table(MAX_TABLE_ENTRIES - 1) === 1 && exports.grow_table(1) === -1) return undefined;
  return { limit: "table", message: "a table grew beyond the maximum that is written into its module" };
}
