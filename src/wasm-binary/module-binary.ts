import { bytesToString } from "wasmparser";
import { type Code, readCode } from "./code-reader.ts";
import { type ModuleMemory, type ModuleSection, type ModuleTable, readEntries, typeName } from "./module-sections.ts";
import type { Arity } from "./operand-stack.ts";
import type { Signature } from "./signature.ts";
import { EXTERNAL, EXTERNAL_KINDS, type ExternalKind, SECTION } from "./wasm-codes.ts";

/** A module without its code, as read from its bytes. Ignores the module's manifest. */
export interface ModuleOutline {
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  readonly memory: ModuleMemory | undefined;
  readonly memories: number;
  readonly hasStart: boolean;
  /** Indices of the globals that a call can change. */
  readonly mutableGlobals: readonly number[];
  /** Whether all mutable globals hold numbers. */
  readonly onlyNumbers: boolean;
  readonly globals: number;
  readonly tables: readonly ModuleTable[];
  /** Types of the module's own functions, without imported functions. */
  readonly functionTypes: readonly (Signature | undefined)[];
  readonly sections: readonly ModuleSection[];
}

/** The data about a module that admission needs. */
export type ModuleBinary = ModuleOutline & Code;

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternalKind;
  readonly signature: Signature | undefined;
}

interface ModuleExport {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly signature: Signature | undefined;
}

/**
 * Reads a module. Throws an error for bytes that cannot be read, `TooLarge`, and `RefusedOperator` for instructions
 * outside of the allow-list. The result for an invalid module is meaningless.
 */
export function readModule(file: Uint8Array): ModuleBinary {
  const { outline, readCode } = openModule(file);
  return { ...outline, ...readCode() };
}

/** Like `readModule` in two steps, so that the caller gets a module's imports even if its code is refused. */
export function openModule(file: Uint8Array): { readonly outline: ModuleOutline; readCode(): Code } {
  // The bytes are copied, because the parser counts from the start of the buffer, and `file` may be a view.
  const bytes = Uint8Array.from(file);
  const entries = readEntries(bytes);
  const { types, functions, imports, exports, globals, sections } = entries;

  const importedFunctions = imports.filter((entry) => isKind(entry, EXTERNAL.function));
  const typeOf = (index: number | undefined): Signature | undefined => (index === undefined ? undefined : types[index]);
  const functionType = (index: number): Signature | undefined =>
    index < importedFunctions.length
      ? typeOf(importedFunctions[index]?.funcTypeIndex)
      : typeOf(functions[index - importedFunctions.length]);

  const isHosts = (index: number): boolean => index < importedFunctions.length;
  const hostInTables =
    entries.references.some(isHosts) ||
    exports.some((entry) => isKind(entry, EXTERNAL.function) && isHosts(entry.index));
  const code = sections.find(({ id }) => id === SECTION.code);
  const mutable = [...globals.entries()].filter(([, type]) => type.mutability === 1);
  return {
    outline: {
      imports: imports.map((entry) => ({
        module: bytesToString(entry.module),
        name: bytesToString(entry.field),
        kind: kindOf(entry),
        signature: typeOf(entry.funcTypeIndex),
      })),
      exports: exports.map((entry) => ({
        name: bytesToString(entry.field),
        kind: kindOf(entry),
        signature: isKind(entry, EXTERNAL.function) ? functionType(entry.index) : undefined,
      })),
      memory: entries.memories[0],
      memories: entries.memories.length + imports.filter((entry) => isKind(entry, EXTERNAL.memory)).length,
      hasStart: sections.some(({ id }) => id === SECTION.start),
      globals: globals.length,
      mutableGlobals: mutable.map(([index]) => index),
      onlyNumbers: mutable.every(([, type]) => NUMBERS.has(typeName(type.contentType))),
      tables: entries.tables,
      functionTypes: functions.map(typeOf),
      sections,
    },
    readCode: () =>
      code === undefined
        ? { bodies: [], lastingOperator: undefined, isLight: true }
        : readCode(bytes, code.content, code.end, {
            importedFunctions: importedFunctions.length,
            hostInTables,
            arities: { ofType: (index) => arityOf(typeOf(index)), ofFunction: (index) => arityOf(functionType(index)) },
          }),
  };
}

// The library types its kinds as ambient enums, which TypeScript does not compare with numbers.
function isKind(entry: { readonly kind: unknown }, kind: number): boolean {
  return entry.kind === kind;
}

function kindOf(entry: { readonly kind: number }): ExternalKind {
  return EXTERNAL_KINDS[entry.kind] ?? "tag";
}

function arityOf(signature: Signature | undefined): Arity {
  if (signature === undefined) throw new Error("a type index that does not exist");
  return { params: signature.params.length, results: signature.results.length };
}

const NUMBERS: ReadonlySet<string> = new Set(["i32", "i64", "f32", "f64"]);
