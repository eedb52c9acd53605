import { leb128, spliceSection } from "./binary-splice.ts";
import type { ModuleMemory } from "./module-binary.ts";
import { SECTION } from "./wasm-codes.ts";

/**
 * A copy of a module whose memory cannot grow beyond `maximumPages`. The limit has to stand in the module itself:
 * Extism's `maxPages` counts only the host's blocks, and Node's `resourceLimits` do not count wasm memory at all.
 */
export function capMemory(
  file: Uint8Array<ArrayBuffer>,
  memory: ModuleMemory | undefined,
  maximumPages: number,
): Uint8Array<ArrayBuffer> {
  if (memory === undefined) return file;
  const limits = [1, 1, ...leb128(memory.initialPages), ...leb128(maximumPages)];
  return spliceSection(file, memory.section, SECTION.memory, Uint8Array.from(limits));
}
