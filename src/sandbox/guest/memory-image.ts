import { ABSENT_NAMESPACE } from "./guest-abi.ts";
import type { HostFunctions } from "./host-functions.ts";

/**
 * The data that turns the compiled engine, which all guards in TypeScript share, into one guard: its first memory, and
 * the imports of the engine that the guard did not ask for.
 */
export interface MemoryImage {
  /** Initial memory pages of the guard. The engine itself has none. */
  readonly pages: number;
  /** Content of a data section that comes before `data`. Set for the guards that ship, which have most of it in common. */
  readonly base?: Uint8Array | undefined;
  /** Content of the guard's data section. Shared between threads and never written. */
  readonly data: Uint8Array;
  /** Names of the host functions that fail when this guard calls them. */
  readonly absent: readonly string[];
}

interface Segment {
  readonly address: number;
  readonly start: number;
  readonly end: number;
}

const PAGE_BYTES = 65_536;
const ACTIVE = 0;
const I32_CONST = 0x41;
const END = 0x0b;

/**
 * Reads the segments of a data section with the content `data`. Returns `undefined` unless each segment is active, has
 * a constant address in the shortest encoding, and is in a memory of `pages` pages, without bytes after the last one.
 */
export function segmentsOf(data: Uint8Array, pages: number): readonly Segment[] | undefined {
  const segments: Segment[] = [];
  const memoryBytes = pages * PAGE_BYTES;
  let at = 0;
  const number = (isSigned: boolean): number | undefined => {
    let value = 0;
    for (let index = 0; index < 5; index++) {
      const byte = data[at];
      if (byte === undefined) return undefined;
      at += 1;
      value += (byte & 0x7f) * 128 ** index;
      if (byte >= 0x80) continue;
      // Rejects a longer encoding of the same number. The next check rejects a negative number.
      const before = index === 0 ? 0x40 : (data[at - 2] ?? 0);
      if (byte === 0 && index > 0 && (!isSigned || (before & 0x40) === 0)) return undefined;
      if (isSigned && (byte & 0x40) !== 0) return undefined;
      return value < 2 ** 32 ? value : undefined;
    }
    return undefined;
  };
  const count = number(false);
  if (count === undefined || !Number.isSafeInteger(pages) || pages < 0) return undefined;
  for (let index = 0; index < count; index++) {
    if (data[at] !== ACTIVE || data[at + 1] !== I32_CONST) return undefined;
    at += 2;
    const address = number(true);
    if (data[at] !== END) return undefined;
    at += 1;
    const bytes = number(false);
    if (address === undefined || bytes === undefined) return undefined;
    const start = at;
    at += bytes;
    if (address + bytes > memoryBytes || at > data.byteLength) return undefined;
    segments.push({ address, start, end: at });
  }
  return at === data.byteLength ? segments : undefined;
}

/** Grows the engine's empty memory and writes the guard's data into it. */
export function layImage(memory: WebAssembly.Memory, image: MemoryImage): void {
  memory.grow(image.pages);
  writeImage(new Uint8Array(memory.buffer), image);
}

/** Writes the guard's data into a memory that contains zeros. */
export function writeImage(
  memory: Uint8Array,
  { pages, base, data }: Pick<MemoryImage, "pages" | "base" | "data">,
): void {
  for (const section of base === undefined ? [data] : [base, data]) {
    const segments = segmentsOf(section, pages);
    if (segments === undefined) throw new TypeError("the guard's data section is invalid");
    for (const { address, start, end } of segments) memory.set(section.subarray(start, end), address);
  }
}

/** Returns the host functions for this guard. Failing functions replace those that the guard did not ask for. */
export function functionsFor({ absent }: MemoryImage, functions: HostFunctions): HostFunctions {
  const refused = functions[ABSENT_NAMESPACE] ?? {};
  const replaced = (table: HostFunctions[string]): HostFunctions[string] => {
    const names = absent.filter((name) => Object.hasOwn(table, name) && Object.hasOwn(refused, name));
    return { ...table, ...Object.fromEntries(names.map((name) => [name, refused[name]])) } as HostFunctions[string];
  };
  return Object.fromEntries(
    Object.entries(functions).map(([namespace, table]) => [namespace, replaced(table)]),
  ) as HostFunctions;
}
