import { leb128 } from "./leb128.ts";
import type { ModuleSection } from "./module-sections.ts";
import { Cursor } from "./operators.ts";
import { EXTERNAL } from "./wasm-codes.ts";

/** Renames imports and exports. */

/** Returns the section's content. Replaces the namespace of each import with the result of `moduleOf`. */
export function relinkedImports(
  file: Uint8Array,
  section: ModuleSection,
  moduleOf: (entry: { readonly module: string; readonly name: string }) => string,
): Uint8Array {
  const entries: Uint8Array[] = [];
  const cursor = new Cursor(file, section.content);
  const count = cursor.leb();
  for (let left = count; left > 0; left--) {
    const module = nameAt(file, cursor);
    const name = nameAt(file, cursor);
    const start = cursor.at;
    if (cursor.byte() !== EXTERNAL.function) throw new Error("an import that is not a function");
    cursor.leb();
    entries.push(encodeName(moduleOf({ module, name })), encodeName(name), file.subarray(start, cursor.at));
  }
  return Buffer.concat([Uint8Array.from(leb128(count)), ...entries]);
}

/** Returns the section's content. Replaces the name of each export with the result of `nameOf`. */
export function renamedExports(file: Uint8Array, section: ModuleSection, nameOf: (name: string) => string): Uint8Array {
  const entries: Uint8Array[] = [];
  const cursor = new Cursor(file, section.content);
  const count = cursor.leb();
  for (let left = count; left > 0; left--) {
    const name = nameAt(file, cursor);
    const start = cursor.at;
    cursor.byte();
    cursor.leb();
    entries.push(encodeName(nameOf(name)), file.subarray(start, cursor.at));
  }
  return Buffer.concat([Uint8Array.from(leb128(count)), ...entries]);
}

function nameAt(file: Uint8Array, cursor: Cursor): string {
  const length = cursor.leb();
  const name = Buffer.from(file.subarray(cursor.at, cursor.at + length)).toString("utf8");
  cursor.at += length;
  return name;
}

function encodeName(name: string): Uint8Array {
  const bytes = Buffer.from(name);
  return Buffer.concat([Uint8Array.from(leb128(bytes.byteLength)), bytes]);
}
