import { leb128 } from "../../wasm-binary/leb128.ts";
import type { ModuleBinary } from "../../wasm-binary/module-binary.ts";
import type { ModuleSection } from "../../wasm-binary/module-sections.ts";
import { relinkedImports, renamedExports } from "../../wasm-binary/relink.ts";
import { EXTERNAL, SECTION } from "../../wasm-binary/wasm-codes.ts";
import { exportedName, INITIALIZE, linkedNamespace } from "../guest/guest-abi.ts";
import { startExportsOf } from "./entry-points.ts";
import { countersOf, meterCode } from "./metering.ts";

/** Rewrites an admitted module: adds its limits, its counters, and exports for the host. V8 compiles the result. */

interface Caps {
  readonly memoryPages: number;
  readonly tableEntries: number;
}

/** Names of the exports that a rewritten module has for the host. */
export interface StateExports {
  readonly memory: string | undefined;
  readonly fuel: string;
  readonly depth: string;
  /** The cards of memory that were written. Unset if writes are not marked, so the whole memory is restored. */
  readonly marks?: string;
  /** The toolchain's function that must run before any other call. Unset if the module has none. */
  readonly initialize?: string;
  /** Mutable globals. `undefined`: the state cannot be restored, so each call needs a new instance. */
  readonly globals: readonly string[] | undefined;
}

export interface RewrittenModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Size of the code section, from which the compile time is estimated. */
  readonly codeBytes: number;
  /** Whether V8 may optimise the module. */
  readonly isLight: boolean;
  readonly state: StateExports;
}

/** Required order of sections, to find the place of a section that the module lacks. */
const SECTION_ORDER = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];

interface NewExport {
  readonly name: string;
  readonly kind: number;
  readonly index: number;
}

/**
 * Rewrites `file`. `binary` is the result of `readModule` for `file`. The result does not compile if the guest already
 * exports one of the added names.
 */
export function rewrite(file: Uint8Array<ArrayBuffer>, binary: ModuleBinary, caps: Caps): RewrittenModule {
  const isRestorable = binary.lastingOperator === undefined && binary.onlyNumbers;
  const counters = countersOf(binary, isRestorable);
  const memory = binary.memory === undefined ? undefined : { name: "hookbox:memory", kind: EXTERNAL.memory, index: 0 };
  const globalExport = (name: string, index: number): NewExport => ({
    name: `hookbox:${name}`,
    kind: EXTERNAL.global,
    index,
  });
  const fuel = globalExport("fuel", counters.fuel);
  const depth = globalExport("depth", counters.depth);
  const marks = counters.marks === undefined ? undefined : globalExport("marks", counters.marks);
  const globals = isRestorable
    ? binary.mutableGlobals.map((index) => globalExport(`global:${index}`, index))
    : undefined;

  const added = [
    ...(memory === undefined ? [] : [memory]),
    fuel,
    depth,
    ...(marks === undefined ? [] : [marks]),
    ...(globals ?? []),
  ];
  const bodies = new Map<number, Uint8Array>([
    [SECTION.global, append(file, binary, SECTION.global, 3, [...COUNTER, ...COUNTER, ...COUNTER])],
    [SECTION.export, exportsWith(file, binary, added)],
  ]);
  const imported = binary.sections.find(({ id }) => id === SECTION.import);
  if (imported !== undefined && binary.imports.some((entry) => linkedNamespace(entry) !== entry.module)) {
    bodies.set(SECTION.import, relinkedImports(file, imported, linkedNamespace));
  }
  if (binary.memory !== undefined)
    bodies.set(SECTION.memory, limited([binary.memory.initialPages], caps.memoryPages, []));
  if (binary.bodies.length > 0) bodies.set(SECTION.code, meterCode(file, binary, counters));
  if (binary.tables.length > 0) bodies.set(SECTION.table, tables(binary, caps.tableEntries));
  return {
    bytes: assemble(file, binary.sections, bodies),
    codeBytes: bodies.get(SECTION.code)?.byteLength ?? 0,
    isLight: binary.isLight,
    state: {
      memory: memory?.name,
      fuel: fuel.name,
      depth: depth.name,
      ...(marks === undefined ? {} : { marks: marks.name }),
      globals: globals?.map(({ name }) => name),
      ...(startExportsOf(binary).includes(INITIALIZE) ? { initialize: exportedName(INITIALIZE) } : {}),
    },
  };
}

/** A `(mut i64)` global that starts at zero, so that a module does not run unless the host sets its fuel. */
const COUNTER = [0x7e, 0x01, 0x42, 0x00, 0x0b];

function encodeExport({ name, kind, index }: NewExport): number[] {
  return [name.length, ...Buffer.from(name), kind, ...leb128(index)];
}

/** Renames start exports, so that only the host runs them, and never Extism while it links the module. */
function exportsWith(file: Uint8Array, binary: ModuleBinary, added: readonly NewExport[]): Uint8Array {
  const entries = added.flatMap(encodeExport);
  const section = binary.sections.find(({ id }) => id === SECTION.export);
  if (section === undefined || startExportsOf(binary).length === 0) {
    return append(file, binary, SECTION.export, added.length, entries);
  }
  const renamed = renamedExports(file, section, exportedName);
  return appended(renamed, 0, renamed.byteLength, added.length, entries);
}

/** Returns a section's content with entries appended and the count adjusted. */
function append(
  file: Uint8Array,
  { sections }: ModuleBinary,
  id: number,
  more: number,
  entries: readonly number[],
): Uint8Array {
  const section = sections.find((one) => one.id === id);
  if (section === undefined) return Uint8Array.from([...leb128(more), ...entries]);
  return appended(file, section.content, section.end, more, entries);
}

function appended(
  bytes: Uint8Array,
  start: number,
  stop: number,
  more: number,
  entries: readonly number[],
): Uint8Array {
  const { value: count, end } = readLeb128(bytes, start);
  const body = bytes.subarray(end, stop);
  const head = leb128(count + more);
  const whole = new Uint8Array(head.length + body.byteLength + entries.length);
  whole.set(head);
  whole.set(body, head.length);
  whole.set(entries, head.length + body.byteLength);
  return whole;
}

/**
 * Writes the maximum into the module itself. Extism's `maxPages` counts only the host's blocks, and Node's
 * `resourceLimits` count neither wasm memory nor tables.
 */
function limited(initials: readonly number[], cap: number, type: readonly number[]): Uint8Array {
  return Uint8Array.from([
    ...leb128(initials.length),
    ...initials.flatMap((initial) => [...type, 1, ...leb128(initial), ...leb128(cap)]),
  ]);
}

function tables({ tables: all }: ModuleBinary, cap: number): Uint8Array {
  return Uint8Array.from([
    ...leb128(all.length),
    ...all.flatMap(({ type, initial, maximum }) => [
      type,
      1,
      ...leb128(initial),
      ...leb128(Math.max(initial, Math.min(maximum ?? cap, cap))),
    ]),
  ]);
}

function assemble(
  file: Uint8Array<ArrayBuffer>,
  sections: readonly ModuleSection[],
  bodies: ReadonlyMap<number, Uint8Array>,
): Uint8Array<ArrayBuffer> {
  const missing = [...bodies.keys()].filter((id) => !sections.some((section) => section.id === id));
  const pieces: Uint8Array[] = [file.subarray(0, 8)];
  const write = (id: number, body: Uint8Array): void => {
    pieces.push(Uint8Array.from([id, ...leb128(body.byteLength)]), body);
  };
  const rank = (id: number): number => SECTION_ORDER.indexOf(id);
  for (const { id, start, end } of sections) {
    for (const before of missing.filter((one) => id !== 0 && rank(one) < rank(id))) {
      write(before, bodies.get(before) as Uint8Array);
      missing.splice(missing.indexOf(before), 1);
    }
    const body = bodies.get(id);
    if (body === undefined) pieces.push(file.subarray(start, end));
    else write(id, body);
  }
  for (const last of missing) write(last, bodies.get(last) as Uint8Array);
  return Uint8Array.from(Buffer.concat(pieces));
}

function readLeb128(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let position = at;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[position] ?? 0;
    position += 1;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: position };
  }
}
