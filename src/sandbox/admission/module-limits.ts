import type { ModuleBinary, ModuleOutline } from "../../wasm-binary/module-binary.ts";
import type { ModuleMemory } from "../../wasm-binary/module-sections.ts";
import { Refusal } from "./refusal.ts";

/** The maximum sizes of a module. Each check throws a {@link Refusal}. */

export const MAX_MODULE_BYTES = 8 * 1_048_576;
export const PAGE_BYTES = 65_536;

export function checkSize(bytes: number): void {
  if (bytes <= MAX_MODULE_BYTES) return;
  throw new Refusal("HOOK_MODULE_LIMIT", "memory", `is ${bytes} bytes long; the limit is ${MAX_MODULE_BYTES}`, {
    limit: MAX_MODULE_BYTES,
    value: bytes,
  });
}

/** Maximum numbers that a module may declare. V8 allocates and compiles by these numbers, even for unused entries. */
const MAX_TABLES = 4;
export const MAX_TABLE_ENTRIES = 10_000;
const MAX_FUNCTIONS = 50_000;
const MAX_GLOBALS = 1_000;

export function checkSizes(binary: ModuleBinary): void {
  const largest = (numbers: readonly number[]): number => numbers.reduce((most, number) => Math.max(most, number), 0);
  const sizes: readonly (readonly [string, number, number])[] = [
    ["tables", binary.tables.length, MAX_TABLES],
    ["entries in a table", largest(binary.tables.map((table) => table.initial)), MAX_TABLE_ENTRIES],
    ["functions", binary.bodies.length, MAX_FUNCTIONS],
    ["globals", binary.globals, MAX_GLOBALS],
  ];
  for (const [what, value, limit] of sizes) {
    if (value > limit)
      throw new Refusal("HOOK_MODULE_LIMIT", "memory", `has ${value} ${what}; the limit is ${limit}`, { limit, value });
  }
}

export function checkMemory({ memory, memories }: ModuleOutline, memoryBytes: number): void {
  if (memories > 1)
    throw new Refusal("HOOK_MODULE_LIMIT", "memory", `has ${memories} memories; the limit is 1`, {
      limit: 1,
      value: memories,
    });
  if (memory === undefined) return;
  if (memory.flags > 1) throw new Refusal("HOOK_MODULE_INVALID", "memory", "has a shared or 64-bit memory");
  if (memory.initialPages <= Math.floor(memoryBytes / PAGE_BYTES)) return;
  const value = memory.initialPages * PAGE_BYTES;
  throw new Refusal(
    "HOOK_MODULE_LIMIT",
    "memory",
    `starts with ${value} bytes of memory; the limit is ${memoryBytes}`,
    { limit: memoryBytes, value },
  );
}

/** Returns the maximum number of memory pages of the guest. */
export function pagesFor(memory: ModuleMemory | undefined, memoryBytes: number): number {
  return Math.min(Math.floor(memoryBytes / PAGE_BYTES), memory?.maximumPages ?? Number.POSITIVE_INFINITY);
}
