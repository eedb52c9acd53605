import { leb128 } from "../../wasm-binary/leb128.ts";
import { openModule } from "../../wasm-binary/module-binary.ts";
import { Cursor } from "../../wasm-binary/operators.ts";
import { relinkedImports } from "../../wasm-binary/relink.ts";
import { EXTERNAL, SECTION } from "../../wasm-binary/wasm-codes.ts";
import { type ImportName, MANIFEST_SECTION } from "../guest/guest-abi.ts";

/** Makes the module of a guard in TypeScript: the engine, with the guard's memory and manifest. */

interface GuardParts {
  /** Returns the namespace of an import of the engine. Called in the order of the imports. */
  readonly namespaceOf: (entry: ImportName) => string;
  /** Initial memory pages of the guard. */
  readonly pages: number;
  /** The content of the data section. */
  readonly data: Uint8Array;
  /** The manifest's JSON. Default: the module has no manifest section. */
  readonly manifest?: Uint8Array | undefined;
}

const CUSTOM = 0;
const DATA = 11;
const DATA_COUNT = 12;
/** The exports of a guard. The engine's other exports are used only during the build. */
const KEPT_EXPORTS: ReadonlySet<string> = new Set(["memory", "handle"]);

/** Returns the module. `engine` is `engine.wasm` of guest-sdk/typescript/engine. */
export function assembleGuard(
  engine: Uint8Array,
  { namespaceOf, pages, data, manifest }: GuardParts,
): Uint8Array<ArrayBuffer> {
  const { sections, memory } = openModule(engine).outline;
  const maximum = memory?.maximumPages;
  if (maximum === undefined) throw new Error("the engine's memory has no maximum");
  const pieces: Uint8Array[] = [engine.subarray(0, 8)];
  const write = (id: number, content: Uint8Array): void => {
    pieces.push(Uint8Array.from([id, ...leb128(content.byteLength)]), content);
  };
  for (const section of sections) {
    const { id, start, content, end } = section;
    if (id === CUSTOM || id === DATA || id === DATA_COUNT) continue;
    if (id === SECTION.memory) write(id, Uint8Array.from([1, 1, ...leb128(pages), ...leb128(maximum)]));
    else if (id === SECTION.import) write(id, relinkedImports(engine, section, namespaceOf));
    else if (id === SECTION.export) write(id, keptExports(engine, content));
    else pieces.push(engine.subarray(start, end));
  }
  write(DATA, data);
  const name = Buffer.from(MANIFEST_SECTION);
  if (manifest !== undefined) write(CUSTOM, Buffer.concat([Uint8Array.of(name.length), name, manifest]));
  return Uint8Array.from(Buffer.concat(pieces));
}

function keptExports(engine: Uint8Array, content: number): Uint8Array {
  const cursor = new Cursor(engine, content);
  const kept: Uint8Array[] = [];
  for (let left = cursor.leb(); left > 0; left--) {
    const start = cursor.at;
    const length = cursor.leb();
    const name = Buffer.from(engine.subarray(cursor.at, cursor.at + length)).toString("utf8");
    cursor.at += length;
    const kind = cursor.byte();
    cursor.leb();
    if (KEPT_EXPORTS.has(name) && kind !== EXTERNAL.global) kept.push(engine.subarray(start, cursor.at));
  }
  return Buffer.concat([Uint8Array.from(leb128(kept.length)), ...kept]);
}
