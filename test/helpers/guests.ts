import { readFileSync } from "node:fs";
import path from "node:path";
import wabt from "wabt";

/** Guests for tests: assembled from WAT, from a fixture's name or from text, and cached. */

const FOLDER = path.resolve(import.meta.dirname, "../fixtures/guests");
const FEATURES = { exceptions: true, tail_call: true, threads: true, multi_memory: true, memory64: true };

const assembler = await wabt();
const assembled = new Map<string, Uint8Array<ArrayBuffer>>();

/**
 * Returns the module of `test/fixtures/guests/NAME.wat`. It is a copy, so a test cannot change the bytes of another
 * test.
 */
export function guest(name: string): Uint8Array<ArrayBuffer> {
  return wat(readFileSync(path.join(FOLDER, `${name}.wat`), "utf8"), `${name}.wat`);
}

export function wat(text: string, name = "inline.wat"): Uint8Array<ArrayBuffer> {
  let bytes = assembled.get(text);
  if (bytes === undefined) {
    const module = assembler.parseWat(name, new TextEncoder().encode(text), FEATURES);
    bytes = Uint8Array.from(module.toBinary({ write_debug_names: false }).buffer);
    module.destroy();
    assembled.set(text, bytes);
  }
  return bytes.slice();
}

/** Returns a guest that only writes these bytes as its output. */
export function answering(output: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof output === "string" ? new TextEncoder().encode(output) : output;
  const data = [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  const pages = Math.ceil(bytes.byteLength / 65_536) + 1;
  return wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (memory ${pages})
    (data (i32.const 0) "${data}")
    (func (export "handle") (result i32)
      (local $block i64) (local $at i32)
      (local.set $block (call $alloc (i64.const ${bytes.byteLength})))
      (block $done
        (loop $copy
          (br_if $done (i32.eq (local.get $at) (i32.const ${bytes.byteLength})))
          (call $store
            (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
            (i32.load8_u (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $copy)))
      (call $output (local.get $block) (i64.const ${bytes.byteLength}))
      (i32.const 0)))`);
}

/** A `handle` for modules that are never run, because the test is about another part of the module. */
export const HANDLE = '(func (export "handle") (result i32) (i32.const 0))';

/** Returns a module with these fields and a `handle` that does nothing. */
export const moduleWith = (fields: string): Uint8Array<ArrayBuffer> => wat(`(module ${fields} ${HANDLE})`);

interface Section {
  readonly id: number;
  /** Offsets into the module: of the section with its header, and of the section's content. */
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** Returns the sections of a module, read without the parser under test. */
export function sectionsOf(module: Uint8Array): readonly Section[] {
  const sections: Section[] = [];
  let at = 8;
  while (at < module.byteLength) {
    const start = at;
    let size = 0;
    let shift = 0;
    let byte: number;
    at += 1;
    do {
      byte = module[at++] ?? 0;
      size += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte >= 0x80);
    sections.push({ id: module[start] ?? 0, start, content: at, end: at + size });
    at += size;
  }
  return sections;
}

/** Returns the module with the bytes from `start` to `end` replaced by these bytes. */
export function spliced(
  module: Uint8Array,
  { start, end }: { start: number; end: number },
  bytes: Iterable<number>,
): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...module.subarray(0, start), ...bytes, ...module.subarray(end)]);
}

/** Returns a custom section with this name and `length` bytes of content. `length` must fit in one byte of LEB128. */
export function customSection(name: string, length: number): number[] {
  const content = [name.length, ...new TextEncoder().encode(name), ...new Uint8Array(length)];
  if (content.length > 127) throw new RangeError("longer than one LEB128 byte can say");
  return [0, content.length, ...content];
}

/** Returns the module with this text appended as a custom section. Default name: the manifest's. */
export function withManifest(
  module: Uint8Array,
  manifest: string | Uint8Array | object,
  name = "hookbox:manifest",
): Uint8Array<ArrayBuffer> {
  const isText = typeof manifest === "string" || manifest instanceof Uint8Array;
  const content = Buffer.from(isText ? manifest : JSON.stringify(manifest));
  const header = [...leb128(name.length), ...Buffer.from(name)];
  return Uint8Array.from(
    Buffer.concat([module, Buffer.from([0, ...leb128(header.length + content.length), ...header]), content]),
  );
}

const leb128 = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)]);

/** Returns the module with these bytes of its code, which occur once, replaced by another encoding. */
export function recoded(module: Uint8Array, from: readonly number[], to: readonly number[]): Uint8Array<ArrayBuffer> {
  const section = sectionsOf(module).find(({ id }) => id === 10);
  if (section === undefined) throw new Error("the module has no code");
  const code = Buffer.from(module.subarray(section.content, section.end));
  const found = code.indexOf(Buffer.from(from));
  if (found < 0 || code.indexOf(Buffer.from(from), found + 1) >= 0)
    throw new Error("these bytes do not stand there once");
  const read = (at: number): { value: number; next: number } => {
    const byte = code[at] ?? 0;
    if (byte < 0x80) return { value: byte, next: at + 1 };
    const rest = read(at + 1);
    return { value: (byte & 0x7f) + rest.value * 128, next: rest.next };
  };
  const { value: count, next } = read(0);
  const bodies: number[] = [];
  for (let at = next, index = 0; index < count; index += 1) {
    const { value: size, next: start } = read(at);
    at = start + size;
    const body = [...code.subarray(start, at)];
    if (found >= start && found < at) body.splice(found - start, from.length, ...to);
    bodies.push(...leb128(body.length), ...body);
  }
  const content = [...leb128(count), ...bodies];
  return spliced(module, section, [10, ...leb128(content.length), ...content]);
}
