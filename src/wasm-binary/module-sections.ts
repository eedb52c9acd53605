import {
  BinaryReader,
  type IElementSegmentBody,
  type IExportEntry,
  type IFunctionEntry,
  type IGlobalVariable,
  type IImportEntry,
  type IMemoryType,
  type ISectionInformation,
  type ITableType,
  type ITypeEntry,
  type Type,
} from "wasmparser";
import { Cursor, VALUE_TYPES } from "./operators.ts";
import { RefusedFeature, TooLarge } from "./refusals.ts";
import type { Signature } from "./signature.ts";
import { OPERATOR, READER_STATE, SECTION, TYPE_KIND } from "./wasm-codes.ts";

/** Reads all sections of a module but its code, and checks their limits. */

export interface ModuleSection {
  readonly id: number;
  /** Offset of the section's header. */
  readonly start: number;
  /** Offset of the first byte after the header. */
  readonly content: number;
  readonly end: number;
}

export interface ModuleTable {
  /** The byte that encodes the type of its entries. */
  readonly type: number;
  readonly initial: number;
  readonly maximum: number | undefined;
}

export interface ModuleMemory {
  readonly initialPages: number;
  readonly maximumPages: number | undefined;
  /** Raw limits flags. Other values than 0 and 1 mean a shared or 64-bit memory, and are refused. */
  readonly flags: number;
}

interface Entries {
  readonly types: Signature[];
  readonly functions: number[];
  readonly imports: IImportEntry[];
  readonly exports: IExportEntry[];
  readonly globals: IGlobalVariable["type"][];
  readonly tables: ModuleTable[];
  readonly memories: ModuleMemory[];
  /** Indices of functions that element segments and globals refer to. */
  readonly references: number[];
  readonly sections: ModuleSection[];
}

/** Throws `TooLarge`, `RefusedFeature`, and the parser's errors. */
export function readEntries(bytes: Uint8Array<ArrayBuffer>): Entries {
  const entries: Entries = {
    types: [],
    functions: [],
    imports: [],
    exports: [],
    globals: [],
    tables: [],
    memories: [],
    references: [],
    sections: [],
  };
  const reader = new BinaryReader();
  reader.setData(bytes.buffer, 0, bytes.byteLength);
  let start = 8;
  let id = -1;
  while (reader.read()) {
    if (reader.state === READER_STATE.ERROR) throw reader.error;
    if (reader.state === READER_STATE.BEGIN_SECTION) {
      id = (reader.result as ISectionInformation).id;
      if (!READ_SECTIONS.has(id)) reader.skipSection();
      else checkSection(bytes, id, start, reader.position);
    } else if (reader.state === READER_STATE.END_SECTION) {
      const cursor = new Cursor(bytes, start + 1);
      cursor.leb();
      if (entries.sections.length >= MAX_SECTIONS)
        throw new TooLarge("sections, or more", MAX_SECTIONS + 1, MAX_SECTIONS);
      entries.sections.push({ id, start, content: cursor.at, end: reader.position });
      start = reader.position;
    } else ENTRY_READERS[reader.state]?.(entries, reader.result, { bytes, sectionStart: start });
  }
  // The parser stops at a second magic number in the file, as if another module began.
  if (start !== bytes.byteLength) throw new Error("data after the end of the module");
  return entries;
}

/** Limits for one section: entries, and bytes of element segments, because that section does not count its elements. */
const MAX_ENTRIES = 100_000;
const MAX_ELEMENT_BYTES = 262_144;
/** Limits against tiny entries: a custom section can take three bytes, and a parameter or result of a type one byte. */
const MAX_SECTIONS = 1_000;
const MAX_TYPE_VALUES = 100_000;

const SECTION_ENTRIES: Readonly<Record<number, string>> = {
  [SECTION.type]: "types",
  [SECTION.import]: "imports",
  [SECTION.function]: "functions",
  [SECTION.table]: "tables",
  [SECTION.memory]: "memories",
  [SECTION.global]: "globals",
  [SECTION.export]: "exports",
  [SECTION.element]: "element segments",
};

/** Checks a section's limits before the parser creates an object for each entry. */
function checkSection(bytes: Uint8Array, id: number, start: number, content: number): void {
  const size = new Cursor(bytes, start + 1).leb();
  if (id === SECTION.element && size > MAX_ELEMENT_BYTES)
    throw new TooLarge("bytes of element segments", size, MAX_ELEMENT_BYTES);
  const cursor = new Cursor(bytes, content);
  const count = cursor.leb();
  if (count > MAX_ENTRIES) throw new TooLarge(SECTION_ENTRIES[id] ?? "entries", count, MAX_ENTRIES);
  if (id !== SECTION.type) return;
  let values = 0;
  for (let index = 0; index < count; index++) {
    values += checkType(cursor);
    if (values > MAX_TYPE_VALUES) throw new TooLarge("values in types, or more", values, MAX_TYPE_VALUES);
  }
}

/**
 * Reads one type and returns its number of parameters and results. Accepts only function types over value types. Newer
 * Nodes also have groups, subtypes, structures and more kinds of references.
 */
function checkType(cursor: Cursor): number {
  const form = cursor.byte();
  if (form !== FUNCTION) throw new RefusedFeature(`a type of the form 0x${form.toString(16)}`);
  let values = 0;
  for (const _ of ["parameters", "results"]) {
    for (let left = cursor.leb(); left > 0; left--) {
      values += 1;
      const type = cursor.byte();
      if (!VALUE_TYPES.has(type)) throw new RefusedFeature(`a value of the type 0x${type.toString(16)}`);
    }
  }
  return values;
}

const FUNCTION = 0x60;

interface Where {
  readonly bytes: Uint8Array;
  readonly sectionStart: number;
}

/** Handlers for the parser states that are used here. */
const ENTRY_READERS: Readonly<Record<number, (entries: Entries, result: unknown, where: Where) => void>> = {
  [READER_STATE.TYPE_SECTION_ENTRY]: (entries, result) => {
    entries.types.push(signatureOf(result as ITypeEntry));
  },
  [READER_STATE.FUNCTION_SECTION_ENTRY]: (entries, result) =>
    entries.functions.push((result as IFunctionEntry).typeIndex),
  [READER_STATE.IMPORT_SECTION_ENTRY]: (entries, result) => entries.imports.push(result as IImportEntry),
  [READER_STATE.EXPORT_SECTION_ENTRY]: (entries, result) => entries.exports.push(result as IExportEntry),
  [READER_STATE.BEGIN_GLOBAL_SECTION_ENTRY]: (entries, result) => {
    const { type } = result as IGlobalVariable;
    if (!isPlain(type.contentType)) throw new RefusedFeature("a global of an unsupported type");
    entries.globals.push(type);
  },
  [READER_STATE.ELEMENT_SECTION_ENTRY_BODY]: (_, result) => {
    const { elementType } = result as IElementSegmentBody;
    if (elementType !== undefined && !isPlain(elementType))
      throw new RefusedFeature("an element segment of an unsupported type");
  },
  [READER_STATE.TABLE_SECTION_ENTRY]: (entries, result) => entries.tables.push(tableOf(result as ITableType)),
  [READER_STATE.MEMORY_SECTION_ENTRY]: (entries, result, { bytes, sectionStart }) => {
    const { limits } = result as IMemoryType;
    // The flags are read here, because the parser drops unknown flags. They follow the size and the entry count.
    const cursor = new Cursor(bytes, sectionStart + 1);
    cursor.lebs(2);
    entries.memories.push({ initialPages: limits.initial, maximumPages: limits.maximum, flags: cursor.leb() });
  },
  [READER_STATE.INIT_EXPRESSION_OPERATOR]: (entries, result) => {
    const { code, funcIndex, refType } = result as { code: number; funcIndex?: number; refType?: number };
    if (!INITIAL.has(code) || (refType !== undefined && refType !== FUNCREF - 0x80 && refType !== EXTERNREF - 0x80))
      throw new RefusedFeature("a computed initial value");
    if (code === OPERATOR.ref_func && funcIndex !== undefined) entries.references.push(funcIndex);
  },
};

/** Opcodes of initial values: constants, `ref.null`, `ref.func` and `end`. The oldest supported Node has no others. */
const INITIAL: ReadonlySet<number> = new Set([0x41, 0x42, 0x43, 0x44, 0xd0, 0xd2, 0x0b, 0xfd00c]);

/** Whether a type is a number, a vector, `funcref` or `externref`, in its one-byte encoding. */
function isPlain(type: Type): boolean {
  const code: number = type.kind;
  return VALUE_TYPES.has(code & 0x7f) && code < 0;
}

const FUNCREF = 0x70;
const EXTERNREF = 0x6f;

function tableOf({ elementType, limits }: ITableType): ModuleTable {
  const type = elementType.kind & 0x7f;
  if (type !== FUNCREF && type !== EXTERNREF)
    throw new RefusedFeature("a table with entries of another type than funcref and externref");
  return { type, initial: limits.initial, maximum: limits.maximum };
}

/** Sections that the parser reads. The code section has its own reader: `readCode`. */
const READ_SECTIONS: ReadonlySet<number> = new Set(
  Object.values(SECTION).filter((id) => id !== SECTION.code && id !== SECTION.start),
);

function signatureOf(entry: ITypeEntry): Signature {
  if (entry.form !== TYPE_KIND.func) throw new Error("a type that is not a function type");
  return { params: (entry.params ?? []).map(typeName), results: (entry.returns ?? []).map(typeName) };
}

/** Returns the name of a value type, such as `i32`. */
export function typeName(type: Type): string {
  const code: number = type.kind;
  return Object.entries(TYPE_KIND).find(([, kind]) => kind === code)?.[0] ?? "other";
}
