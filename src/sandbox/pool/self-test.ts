import { PROBE } from "./self-test-probe.ts";

/**
 * Tests each limit of the sandbox in the thread or process that will run guests, with a small module that went through
 * the same admission as every guest. If a limit does not work, the thread or process runs no guest.
 */

/** A limit that does not work. */
export interface BrokenLimit {
  /** The limit in one word: `fuel`, `depth`, `memory`, ... */
  readonly limit: string;
  readonly message: string;
}

/** Maximum memory that a rule may give its guard: 1,024 MiB. */
export const MAX_MEMORY_PAGES = 16_384;
/** The maximum number of table entries, as in admission. */
const MAX_TABLE_ENTRIES = 10_000;
/** Maximum depth that a rule may allow, in stack slots. */
export const MAX_DEPTH = 1_048_576;
const DEFAULT_DEPTH = 262_144;

/** Enough fuel for the probe to start and for a few rounds of its loop. */
const FUEL = 50_000n;
/** The number of rounds, many more than the fuel allows. Without counted fuel, they take only some milliseconds. */
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

interface SelfTestOptions {
  /** Replaces the probe module, for tests. */
  readonly probe?: Uint8Array<ArrayBuffer> | undefined;
  /**
   * Depth in slots that a guest must reach before V8's own stack limit. Default: the default depth of rules. Rules may
   * set four times as much. Testing that depth takes four milliseconds and 8 MB of stack, which stay allocated.
   */
  readonly depth?: number;
}

/** Returns the first limit that does not work in this thread, or `undefined` if all work. */
export function findBrokenLimit({
  probe = PROBE,
  depth = DEFAULT_DEPTH,
}: SelfTestOptions = {}): BrokenLimit | undefined {
  try {
    const exports = instance(probe);
    return brokenFuel(exports) ?? brokenDepth(exports, depth) ?? brokenMemory(exports) ?? brokenTable(exports);
  } catch (error) {
    return { limit: "probe", message: `the module of the self-test cannot be run: ${String(error)}` };
  }
}

/** Runs until the process is killed. The loop of `memory.fill` would take hours to use up its fuel. */
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

function brokenFuel(exports: ProbeExports): BrokenLimit | undefined {
  fill(exports, FUEL, LOTS);
  const trap = trapOf(() => exports.spin(ROUNDS));
  const isOut = exports["hookbox:fuel"].value < 0n;
  if (trap instanceof WebAssembly.RuntimeError && isOut) return undefined;
  return { limit: "fuel", message: "a loop continued after its fuel was used up" };
}

/** Tests the depth limit. V8's own stack limit must not come first, because it differs from run to run. */
function brokenDepth(exports: ProbeExports, depth: number): BrokenLimit | undefined {
  fill(exports, LOTS, BigInt(depth));
  const trap = trapOf(() => exports.recurse(depth));
  const isTooDeep = exports["hookbox:depth"].value < 0n;
  if (trap instanceof WebAssembly.RuntimeError && isTooDeep) return undefined;
  const what =
    trap instanceof RangeError ? "V8's own limit was reached first" : "it was not stopped at its depth limit";
  return { limit: "depth", message: `a function called itself, and ${what}` };
}

function brokenMemory(exports: ProbeExports): BrokenLimit | undefined {
  fill(exports, LOTS, LOTS);
  if (exports.grow(1) === 1 && exports.grow(1) === -1) return undefined;
  return { limit: "memory", message: "a memory grew beyond the maximum that is written into its module" };
}

function brokenTable(exports: ProbeExports): BrokenLimit | undefined {
  fill(exports, LOTS, LOTS);
  if (exports.grow_table(MAX_TABLE_ENTRIES - 1) === 1 && exports.grow_table(1) === -1) return undefined;
  return { limit: "table", message: "a table grew beyond the maximum that is written into its module" };
}
