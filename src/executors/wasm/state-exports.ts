import { leb128, spliceSection } from "./binary-splice.ts";
import type { ModuleBinary } from "./module-binary.ts";
import { EXTERNAL, SECTION } from "./wasm-codes.ts";

/**
 * A guest must not remember one call in the next. Making a new instance each time costs more than the call itself,
 * so an instance is put back to where it was; for that, its memory and its mutable globals have to be within
 * JavaScript's reach, whether the guest exports them or not.
 */
export interface StateExports {
  readonly memory: string | undefined;
  /** `undefined`: the module can change what cannot be put back, and needs a new instance for each call. */
  readonly globals: readonly string[] | undefined;
}

export interface ExposedModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly state: StateExports;
}

/** Exports a module's state. A guest that took one of the names for itself does not compile any more. */
export function exposeState(file: Uint8Array<ArrayBuffer>, binary: ModuleBinary): ExposedModule {
  const memory = binary.memory === undefined ? undefined : { name: "hookbox:memory", kind: EXTERNAL.memory, index: 0 };
  const restorable = binary.lastingOperator === undefined && binary.onlyNumbers;
  const globals = restorable
    ? binary.mutableGlobals.map((index) => ({ name: `hookbox:global:${index}`, kind: EXTERNAL.global, index }))
    : undefined;
  const state = { memory: memory?.name, globals: globals?.map(({ name }) => name) };
  const added = [...(memory === undefined ? [] : [memory]), ...(globals ?? [])];
  if (added.length === 0) return { bytes: file, state };

  const { exportSection } = binary;
  const body = Uint8Array.from([
    ...leb128(exportSection.count + added.length),
    ...file.subarray(exportSection.entries, exportSection.end),
    ...added.flatMap(({ name, kind, index }) => [name.length, ...Buffer.from(name), kind, ...leb128(index)]),
  ]);
  return { bytes: spliceSection(file, exportSection, SECTION.export, body), state };
}
