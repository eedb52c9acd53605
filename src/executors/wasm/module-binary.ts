import {
  BinaryReader,
  bytesToString,
  type IExportEntry,
  type IFunctionEntry,
  type IFunctionInformation,
  type IGlobalVariable,
  type IImportEntry,
  type IMemoryType,
  type IOperatorInformation,
  type ISectionInformation,
  type ITableType,
  type ITypeEntry,
  type Type,
} from "wasmparser";
import { CodeReader, type FunctionBody } from "./code-reader.ts";
import { EXTERNAL, EXTERNAL_KINDS, type ExternalKind, READER_STATE, SECTION, TYPE_KIND } from "./wasm-codes.ts";

/** What admission needs to know of a module, read from its bytes. Claims that the module makes do not count. */
export interface ModuleBinary {
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  readonly memory: ModuleMemory | undefined;
  readonly memories: number;
  readonly hasStart: boolean;
  /** Indices of the globals that a call can change, and whether all of them hold numbers. */
  readonly mutableGlobals: readonly number[];
  readonly onlyNumbers: boolean;
  readonly globals: number;
  readonly tables: readonly ModuleTable[];
  /** Types of the module's own functions, imported ones left out. */
  readonly functionTypes: readonly (Signature | undefined)[];
  readonly bodies: readonly FunctionBody[];
  /** All sections in the file's order. */
  readonly sections: readonly ModuleSection[];
  /** The code of an instruction outside of the allow-list, if there is one. */
  readonly refusedOperator: number | undefined;
  /** An instruction of the module that changes more than memory and globals, if there is one. */
  readonly lastingOperator: string | undefined;
  /** The whole export section, header included, as offsets into the file; its entries follow `entries`. */
  readonly exportSection: {
    readonly start: number;
    readonly entries: number;
    readonly end: number;
    readonly count: number;
  };
}

export interface Signature {
  readonly params: readonly string[];
  readonly results: readonly string[];
}

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternalKind;
  readonly signature: Signature | undefined;
}

export interface ModuleExport {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly signature: Signature | undefined;
}

export interface ModuleSection {
  readonly id: number;
  /** Of the section with its header. */
  readonly start: number;
  /** Of what follows the header. */
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
  /** Raw limits flags; anything but 0 and 1 (a shared or 64-bit memory) is refused. */
  readonly flags: number;
  /** The whole memory section, header included, as offsets into the file. */
  readonly section: { readonly start: number; readonly end: number };
}

/** `bytes` must have passed `WebAssembly.validate`. Throws on what the parser cannot follow. */
export function readModule(file: Uint8Array): ModuleBinary {
  // The parser counts from the start of the buffer, and a small file may be a view into a larger one.
  const bytes = Uint8Array.from(file);
  const reader = new BinaryReader();
  reader.setData(bytes.buffer, 0, bytes.byteLength);

  const types: (Signature | undefined)[] = [];
  const functions: number[] = [];
  const imports: { entry: IImportEntry; module: string; name: string }[] = [];
  const exports: IExportEntry[] = [];
  let memory: ModuleMemory | undefined;
  let memories = 0;
  let hasStart = false;
  const mutableGlobals: number[] = [];
  let globals = 0;
  let onlyNumbers = true;
  let exportSection = { start: 0, entries: 0, end: 0, count: 0 };
  let sectionStart = 8;
  let entryStart = 8;
  let sectionId = -1;
  const sections: ModuleSection[] = [];
  const tables: ModuleTable[] = [];
  let code = new CodeReader(bytes, 0, 0);

  while (reader.read()) {
    switch (reader.state) {
      case READER_STATE.ERROR:
        throw reader.error;
      case READER_STATE.BEGIN_SECTION: {
        entryStart = reader.position;
        const { id } = reader.result as ISectionInformation;
        sectionId = id;
        if (!READ_SECTIONS.has(id)) reader.skipSection();
        if (sectionId === SECTION.code)
          code = new CodeReader(bytes, skipLeb128(bytes, entryStart), countFunctions(imports));
        if (sectionId === SECTION.export) {
          exportSection = { ...exportSection, start: sectionStart, entries: skipLeb128(bytes, entryStart) };
        }
        break;
      }
      case READER_STATE.END_SECTION:
        if (memory !== undefined && memory.section.end === 0)
          memory = { ...memory, section: { ...memory.section, end: reader.position } };
        if (exportSection.start === sectionStart && exports.length > 0) {
          exportSection = { ...exportSection, end: reader.position, count: exports.length };
        }
        sections.push({
          id: sectionId,
          start: sectionStart,
          content: skipLeb128(bytes, sectionStart + 1),
          end: reader.position,
        });
        sectionStart = reader.position;
        break;
      case READER_STATE.TYPE_SECTION_ENTRY:
        types.push(signatureOf(reader.result as ITypeEntry));
        break;
      case READER_STATE.FUNCTION_SECTION_ENTRY:
        functions.push((reader.result as IFunctionEntry).typeIndex);
        break;
      case READER_STATE.IMPORT_SECTION_ENTRY: {
        const entry = reader.result as IImportEntry;
        imports.push({ entry, module: bytesToString(entry.module), name: bytesToString(entry.field) });
        break;
      }
      case READER_STATE.EXPORT_SECTION_ENTRY:
        exports.push(reader.result as IExportEntry);
        break;
      case READER_STATE.BEGIN_GLOBAL_SECTION_ENTRY: {
        const { type } = reader.result as IGlobalVariable;
        if (type.mutability === 1) {
          mutableGlobals.push(globals);
          onlyNumbers &&= NUMBERS.has(typeName(type.contentType));
        }
        globals += 1;
        break;
      }
      case READER_STATE.TABLE_SECTION_ENTRY:
        tables.push(tableOf(reader.result as ITableType));
        break;
      case READER_STATE.BEGIN_FUNCTION_BODY:
        code.begin(reader.result as IFunctionInformation, reader.position);
        break;
      case READER_STATE.CODE_OPERATOR:
        code.operator(reader.result as IOperatorInformation, reader.position);
        break;
      case READER_STATE.END_FUNCTION_BODY:
        code.end(reader.position);
        break;
      case READER_STATE.START_SECTION_ENTRY:
        hasStart = true;
        break;
      case READER_STATE.MEMORY_SECTION_ENTRY: {
        memories += 1;
        const { limits } = reader.result as IMemoryType;
        // The parser drops the flags that it does not know. They follow the entry count, which may be padded.
        const flags = bytes[skipLeb128(bytes, entryStart)] ?? 255;
        memory ??= {
          initialPages: limits.initial,
          maximumPages: limits.maximum,
          flags,
          section: { start: sectionStart, end: 0 },
        };
        break;
      }
      default:
        break;
    }
  }
  if (reader.position !== bytes.byteLength) throw new Error("data after the end of the module");

  const importedFunctions = imports.filter(({ entry }) => isKind(entry, EXTERNAL.function));
  const typeOfFunction = (index: number): Signature | undefined => {
    const imported = importedFunctions[index]?.entry.funcTypeIndex;
    const typeIndex = imported ?? functions[index - importedFunctions.length];
    return typeIndex === undefined ? undefined : types[typeIndex];
  };
  return {
    imports: imports.map(({ entry, module, name }) => ({
      module,
      name,
      kind: kindOf(entry),
      signature: entry.funcTypeIndex === undefined ? undefined : types[entry.funcTypeIndex],
    })),
    exports: exports.map((entry) => ({
      name: bytesToString(entry.field),
      kind: kindOf(entry),
      signature: isKind(entry, EXTERNAL.function) ? typeOfFunction(entry.index) : undefined,
    })),
    memory,
    memories: memories + imports.filter(({ entry }) => isKind(entry, EXTERNAL.memory)).length,
    hasStart,
    mutableGlobals,
    onlyNumbers,
    lastingOperator: code.lastingOperator,
    refusedOperator: code.refusedOperator,
    globals,
    tables,
    functionTypes: functions.map((index) => types[index]),
    bodies: code.bodies,
    sections,
    exportSection,
  };
}

function skipLeb128(bytes: Uint8Array, at: number): number {
  let position = at;
  while (((bytes[position] ?? 0) & 0x80) !== 0) position += 1;
  return position + 1;
}

const NUMBERS: ReadonlySet<string> = new Set(["i32", "i64", "f32", "f64"]);

function tableOf({ elementType, limits }: ITableType): ModuleTable {
  return { type: elementType.kind & 0x7f, initial: limits.initial, maximum: limits.maximum };
}

function countFunctions(imports: readonly { readonly entry: IImportEntry }[]): number {
  return imports.filter(({ entry }) => isKind(entry, EXTERNAL.function)).length;
}

const READ_SECTIONS: ReadonlySet<number> = new Set(Object.values(SECTION));

// The library types its kinds as ambient enums that cannot be compared with numbers.
function isKind(entry: { readonly kind: unknown }, kind: number): boolean {
  return entry.kind === kind;
}

function kindOf(entry: { readonly kind: number }): ExternalKind {
  return EXTERNAL_KINDS[entry.kind] ?? "tag";
}

function signatureOf(entry: ITypeEntry): Signature | undefined {
  if (entry.form !== TYPE_KIND.func) return undefined;
  return { params: (entry.params ?? []).map(typeName), results: (entry.returns ?? []).map(typeName) };
}

function typeName(type: Type): string {
  const code: number = type.kind;
  return Object.entries(TYPE_KIND).find(([, kind]) => kind === code)?.[0] ?? "other";
}

export function formatSignature(signature: Signature | undefined): string {
  if (signature === undefined) return "an unknown type";
  const results = signature.results.length === 0 ? "nothing" : signature.results.join(", ");
  return `(${signature.params.join(", ")}) -> ${results}`;
}
