import { sha256 } from "../../cache/cache-folder.ts";
import { leb128 } from "../../wasm-binary/leb128.ts";
import type { ModuleMemory, ModuleSection } from "../../wasm-binary/module-sections.ts";
import { Cursor } from "../../wasm-binary/operators.ts";
import { relinkedImports } from "../../wasm-binary/relink.ts";
import { SECTION } from "../../wasm-binary/wasm-codes.ts";
import { ABSENT_NAMESPACE, hostFunction, linkedNamespace, MANIFEST_SECTION, splitName } from "../guest/guest-abi.ts";
import { segmentsOf } from "../guest/memory-image.ts";
import type { AdmittedCode } from "./admitted-module.ts";
import { readManifest } from "./manifest.ts";
import { claimsOf, type ManifestClaims } from "./manifest-claims.ts";
import { wholeData } from "./memory-data.ts";
import { MAX_MODULE_BYTES, PAGE_BYTES, pagesFor } from "./module-limits.ts";

/**
 * Recognises guards in TypeScript, which all consist of one engine with different memory contents. If a module's
 * sections equal those of the shipped engine byte for byte, its code is not examined again, because the engine was
 * examined and metered when hookbox was built. Only the parts that differ between guards are examined here: namespaces
 * of imports, memory limits, data and manifest.
 *
 * A module that is not exactly what `hookbox build` writes goes through full admission, which also reports every
 * refusal.
 */

/** The engine without a guard, as it was admitted when hookbox was built. */
export interface SharedEngine {
  /** The engine's code. Its memory has no initial pages and no data. */
  readonly code: AdmittedCode;
  /** The digest {@link shapeOf} of the engine's code before admission. */
  readonly shape: string;
}

/** The result of admission for a guard of the shared engine, as plain data. */
export interface EngineGuard {
  readonly ok: true;
  readonly digest: string;
  /** `MODULE NAME` of each import, in the engine's order. */
  readonly imports: readonly string[];
  /** Always empty, because the engine has no start exports. */
  readonly startExports: readonly [];
  readonly memoryPages: number;
  readonly claims: ManifestClaims | undefined;
  /** Initial memory pages of the guard. */
  readonly pages: number;
  /** The content of a data section that comes before `data`. Set for the guards that ship. */
  readonly base?: Uint8Array;
  /** The content of the data section. */
  readonly data: Uint8Array;
  /** The manifest's JSON. `undefined` if the module has no manifest section. */
  readonly manifest: Uint8Array | undefined;
}

const CUSTOM = 0;
const DATA = 11;
const HEADER_BYTES = 8;
/** Maximum number of pages that a valid module can declare. */
const MAX_PAGES = 65_536;
/** The only export of the engine that a rule can name. */
const ENTRY_FUNCTION = "handle";

/**
 * Reads a guard of the shared engine. `digest` is the SHA-256 of `file`, which must be a private copy. Resolves to
 * `undefined` for a module that needs full admission.
 */
export async function recognise(
  file: Uint8Array,
  digest: string,
  requirements: { readonly function: string; readonly memoryBytes: number },
  engine: SharedEngine,
): Promise<EngineGuard | undefined> {
  if (requirements.function !== ENTRY_FUNCTION || file.byteLength > MAX_MODULE_BYTES) return undefined;
  try {
    return await readGuard(file, digest, requirements.memoryBytes, engine);
  } catch {
    // The bytes are not in the form of an engine guard. Full admission reports any problem with them.
    return undefined;
  }
}

async function readGuard(
  file: Uint8Array,
  digest: string,
  memoryBytes: number,
  { code, shape }: SharedEngine,
): Promise<EngineGuard | undefined> {
  const sections = sectionsOf(file);
  const contentOf = (wanted: number): Uint8Array => {
    const { content, end } = sectionOf(sections, wanted);
    return file.subarray(content, end);
  };
  const imports = importsOf(file, sectionOf(sections, SECTION.import), code.imports);
  const memory = memoryOf(contentOf(SECTION.memory));
  const data = contentOf(DATA);
  if (memory.initialPages > Math.floor(memoryBytes / PAGE_BYTES)) return undefined;
  if (segmentsOf(data, memory.initialPages) === undefined || shapeOf(file) !== shape) return undefined;
  const manifest = await readManifest(file, sections);
  if (manifest?.ok === false) return undefined;
  return {
    ok: true,
    digest,
    imports,
    startExports: [],
    memoryPages: pagesFor(memory, memoryBytes),
    claims: claimsOf(manifest?.manifest),
    pages: memory.initialPages,
    data,
    manifest: manifestOf(file, sections),
  };
}

/**
 * Returns a digest of the parts that all guards of one engine have in common. The digest covers the order of the
 * sections and the bytes of each section. Left out: memory limits, data, custom sections and the namespaces of imports.
 *
 * @public plugins/build.mjs imports it from dist/, which knip does not follow.
 */
export function shapeOf(file: Uint8Array): string {
  const pieces: Uint8Array[] = [file.subarray(0, HEADER_BYTES)];
  for (const section of sectionsOf(file)) {
    const { id, start, end } = section;
    if (id === CUSTOM) continue;
    const bytes = commonBytes(file, section, file.subarray(start, end));
    pieces.push(Buffer.from(`${id} ${bytes.byteLength}\n`), bytes);
  }
  return sha256(Buffer.concat(pieces));
}

function commonBytes(file: Uint8Array, section: ModuleSection, whole: Uint8Array): Uint8Array {
  if (section.id === SECTION.memory || section.id === DATA) return new Uint8Array(0);
  return section.id === SECTION.import ? relinkedImports(file, section, () => "") : whole;
}

/** Returns the same bytes as full admission of the guard, for a sandbox process that compiles one module per guard. */
export function wholeModule(guard: EngineGuard, { code }: SharedEngine): AdmittedCode {
  const { digest, imports, memoryPages, claims, pages, manifest } = guard;
  const { bytes } = code;
  const namespaces = imports.map((entry) => linkedNamespace(splitName(entry)));
  const linked = relinkedImports(bytes, sectionOf(sectionsOf(bytes), SECTION.import), () => namespaces.shift() ?? "");
  const whole = withContents(bytes, [
    [SECTION.import, linked],
    [SECTION.memory, memoryContent(pages, memoryPages)],
    [DATA, wholeData(guard)],
  ]);
  const name = Buffer.from(MANIFEST_SECTION);
  const custom =
    manifest === undefined ? [] : sectionWith(CUSTOM, Buffer.concat([Uint8Array.of(name.length), name, manifest]));
  return { ...code, digest, imports, memoryPages, claims, bytes: Uint8Array.from(Buffer.concat([whole, ...custom])) };
}

/** Returns the engine for guards with a limit of `memoryPages` pages. */
export function engineFor(memoryPages: number, { code }: SharedEngine): AdmittedCode {
  if (memoryPages === code.memoryPages) return code;
  const bytes = withContents(code.bytes, [[SECTION.memory, memoryContent(0, memoryPages)]]);
  return { ...code, memoryPages, bytes: Uint8Array.from(bytes) };
}

function memoryContent(initialPages: number, maximumPages: number): Uint8Array {
  return Uint8Array.from([1, HAS_MAXIMUM, ...leb128(initialPages), ...leb128(maximumPages)]);
}

function withContents(bytes: Uint8Array, contents: readonly (readonly [id: number, content: Uint8Array])[]): Buffer {
  const replaced = new Map(contents);
  const sections = sectionsOf(bytes).flatMap(({ id, start, end }) => {
    const content = replaced.get(id);
    return content === undefined ? [bytes.subarray(start, end)] : sectionWith(id, content);
  });
  return Buffer.concat([bytes.subarray(0, HEADER_BYTES), ...sections]);
}

function sectionWith(id: number, content: Uint8Array): readonly Uint8Array[] {
  return [Uint8Array.from([id, ...leb128(content.byteLength)]), content];
}

/** The maximum number of sections: more than the engine has. The limit bounds the work for tiny sections. */
const MAX_SECTIONS = 16;

/**
 * Returns the sections of a module. Throws unless they are contiguous to the end of the file, with at most one custom
 * section, the last. Sections that are not compared byte for byte must have a header in its shortest form. Full
 * admission copies longer headers unchanged, so the result here would differ.
 */
function sectionsOf(file: Uint8Array): readonly ModuleSection[] {
  const sections: ModuleSection[] = [];
  for (let start = HEADER_BYTES; start < file.byteLength; start = sections.at(-1)?.end ?? start) {
    if (sections.at(-1)?.id === CUSTOM || sections.length >= MAX_SECTIONS) throw new Unusual("section");
    const cursor = new Cursor(file, start);
    const id = cursor.byte();
    const bytes = cursor.leb();
    const { at: content } = cursor;
    const isVaried = id === CUSTOM || id === SECTION.import || id === SECTION.memory || id === DATA;
    if (isVaried && content - start !== 1 + leb128(bytes).length) throw new Unusual("header");
    if (content + bytes > file.byteLength) throw new Unusual("end");
    sections.push({ id, start, content, end: content + bytes });
  }
  return sections;
}

function sectionOf(sections: readonly ModuleSection[], wanted: number): ModuleSection {
  const section = sections.find(({ id }) => id === wanted);
  if (section === undefined) throw new Unusual("sections");
  return section;
}

/** Returns the guard's imports, each in its own namespace or in the namespace of failing functions. */
function importsOf(file: Uint8Array, section: ModuleSection, expected: readonly string[]): readonly string[] {
  const imports: string[] = [];
  const same = relinkedImports(file, section, ({ module, name }) => {
    const original = splitName(expected[imports.length] ?? "");
    const isKnown =
      name === original.name &&
      (module === original.module || (module === ABSENT_NAMESPACE && hostFunction({ module, name }) !== undefined));
    if (!isKnown) throw new Unusual("import");
    imports.push(`${module} ${name}`);
    return module;
  });
  const content = file.subarray(section.content, section.end);
  if (imports.length !== expected.length || !Buffer.from(same).equals(content)) throw new Unusual("imports");
  return imports;
}

const HAS_MAXIMUM = 1;

function memoryOf(content: Uint8Array): ModuleMemory {
  const cursor = new Cursor(content, 2);
  const [initialPages, maximumPages] = [cursor.leb(), cursor.leb()];
  const usual = Buffer.from(memoryContent(initialPages, maximumPages));
  if (!usual.equals(content) || initialPages > maximumPages || maximumPages > MAX_PAGES) throw new Unusual("memory");
  return { initialPages, maximumPages, flags: HAS_MAXIMUM };
}

/** Returns the manifest; `undefined` without a custom section. Throws if the custom section has another name. */
function manifestOf(file: Uint8Array, sections: readonly ModuleSection[]): Uint8Array | undefined {
  const section = sections.find(({ id }) => id === CUSTOM);
  if (section === undefined) return undefined;
  const name = Buffer.from(MANIFEST_SECTION);
  const head = Buffer.concat([Uint8Array.of(name.length), name]);
  const start = section.content + head.length;
  if (start > section.end || !head.equals(file.subarray(section.content, start))) throw new Unusual("custom section");
  return file.subarray(start, section.end);
}

/** Thrown for a module that is not in the form that `hookbox build` writes. */
class Unusual extends Error {}
