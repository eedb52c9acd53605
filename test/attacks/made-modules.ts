import { customSection, guest, HANDLE, moduleWith, recoded, sectionsOf, spliced, wat } from "../helpers/guests.ts";

/** Hostile modules that cannot be written as text, or would be too long to read. */

type Bytes = Uint8Array<ArrayBuffer>;

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}

function section(id: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([id, ...leb128(content.byteLength)]), content]);
}

const module = (...sections: Uint8Array[]): Bytes => Uint8Array.from(Buffer.concat([Buffer.from(HEADER), ...sections]));
const repeated = (count: number, ...bytes: number[]): Buffer => Buffer.alloc(count * bytes.length, Buffer.from(bytes));
const vector = (count: number, ...bytes: number[]): Buffer =>
  Buffer.concat([Buffer.from(leb128(count)), repeated(count, ...bytes)]);

const HANDLE_TYPE = section(1, Buffer.from([1, 0x60, 0, 1, 0x7f]));
const HANDLE_EXPORT = section(7, Buffer.from([1, 6, ...Buffer.from("handle"), 0, 0]));

/**
 * Returns a module whose only function is `handle`, with these locals of type i32, and this code before it returns 0.
 */
function withCode(locals: number, ...code: Uint8Array[]): Bytes {
  const declared = locals === 0 ? [0] : [1, ...leb128(locals), 0x7f];
  const body = Buffer.concat([Buffer.from(declared), ...code, Buffer.from([0x41, 0, 0x0b])]);
  const bodies = Buffer.concat([Buffer.from([1, ...leb128(body.byteLength)]), body]);
  return module(HANDLE_TYPE, section(3, Buffer.from([1, 0])), HANDLE_EXPORT, section(10, bodies));
}

function withFunctions(count: number): Bytes {
  const bodies = vector(count, 4, 0, 0x41, 0, 0x0b);
  return module(HANDLE_TYPE, section(3, vector(count, 0)), HANDLE_EXPORT, section(10, bodies));
}

/** Functions 1 and 2 take and return a thousand values; the code is the second one's, with as many on its stack. */
function manyValues(...code: Uint8Array[]): Bytes {
  const values = vector(1_000, 0x7f);
  const types = Buffer.concat([Buffer.from([2, 0x60, 0, 1, 0x7f, 0x60]), values, values]);
  const locals = Array.from({ length: 1_000 }, (_, index) => [0x20, ...leb128(index)]).flat();
  const bodies = [
    [0, 0x41, 0, END],
    [0, 0, END],
    [0, ...locals, ...Buffer.concat(code), END],
  ].map((body) => Buffer.from([...leb128(body.length), ...body]));
  return module(
    section(1, types),
    section(3, Buffer.from([3, 0, 1, 1])),
    HANDLE_EXPORT,
    section(10, Buffer.concat([Buffer.from([3]), ...bodies])),
  );
}

const LOOP = [0x03, 0x40];
const BLOCK = [0x02, 0x40];
const END = 0x0b;
const BACK = Buffer.from([0x0c, 0]);

/** Each local from its neighbour, so that a compiler cannot omit any. */
const rotation = (locals: number): Buffer =>
  Buffer.from(
    Array.from({ length: locals }, (_, index) => [
      0x20,
      ...leb128((index + 1) % locals),
      0x21,
      ...leb128(index),
    ]).flat(),
  );

const idle = moduleWith("");
const endless = wat('(module (func (export "handle") (result i32) (loop (br 0)) (i32.const 0)))');
const at = (id: number, from: Bytes = idle) => {
  const found = sectionsOf(from).find((one) => one.id === id);
  if (found === undefined) throw new Error(`no section ${id}`);
  return found;
};
const twice = (id: number): Bytes => {
  const { start, end } = at(id);
  return spliced(idle, { start: end, end }, idle.subarray(start, end));
};
const padded = (bytes: number): Bytes =>
  Uint8Array.from(
    Buffer.concat([
      guest("abstains"),
      section(0, Buffer.concat([Buffer.from([3]), Buffer.from("pad"), Buffer.alloc(bytes)])),
    ]),
  );

const STRAIGHT_FILL = [0x41, 0, 0x41, 1, 0x41, ...[0x80, 0xc8, 0xd0, 0x07], 0xfc, 11, 0];

export const MADE_MODULES: Readonly<Record<string, () => Bytes>> = {
  "is-empty": () => new Uint8Array(0),
  "is-text": () => Uint8Array.from(Buffer.from("(module)")),
  "is-cut-off": () => idle.slice(0, -3),
  "has-another-magic-number": () => spliced(idle, { start: 0, end: 4 }, [0x7f, 0x45, 0x4c, 0x46]),
  "has-another-version": () => spliced(idle, { start: 4, end: 8 }, [2, 0, 0, 0]),
  "is-two-modules": () => Uint8Array.from([...idle, ...endless]),
  "has-a-byte-behind-it": () => Uint8Array.from([...idle, 0]),
  "has-two-code-sections": () => twice(10),
  "has-two-export-sections": () => twice(7),
  "has-its-sections-in-another-order": () => {
    const { start, end } = at(7);
    return spliced(spliced(idle, { start, end }, []), { start: 8, end: 8 }, idle.subarray(start, end));
  },
  "has-a-section-longer-than-the-file": () =>
    spliced(idle, at(10), [10, 0xff, 0xff, 0xff, 0xff, 0x0f, ...idle.subarray(at(10).content)]),
  "has-a-number-without-an-end": () => spliced(idle, at(10), [10, ...repeated(12, 0xff)]),
  "has-a-function-without-a-body": () => spliced(idle, at(3), [3, 3, 2, 0, 0]),
  "has-an-unknown-section": () => spliced(idle, { start: 8, end: 8 }, [99, 1, 0]),
  "has-a-custom-section-with-a-lying-name": () => spliced(idle, { start: 8, end: 8 }, [0, 2, 100, 0]),
  "has-a-custom-section-of-seven-megabytes": () => padded(7 * 1_048_576),
  "is-longer-than-any-guard": () => padded(9 * 1_048_576),
  "has-900000-functions": () => withFunctions(900_000),
  "has-60000-functions": () => withFunctions(60_000),
  "has-50000-locals": () => withCode(50_000),
  // Eight megabytes of these cost the validator half a minute.
  "has-50000-functions-with-50000-locals": () => {
    const bodies = vector(50_000, 8, 1, ...leb128(50_000), 0x7f, 0x41, 0, END);
    return module(HANDLE_TYPE, section(3, vector(50_000, 0)), HANDLE_EXPORT, section(10, bodies));
  },
  // And a megabyte of these cost all of the memory.
  "has-blocks-of-a-thousand-values": () => manyValues(repeated(100_000, 0x02, 1, END)),
  "has-blocks-of-a-thousand-values-behind-a-return": () =>
    manyValues(Buffer.from([0x0f]), repeated(50_000, 0x02, 1, END, 0x0f)),
  "calls-with-a-thousand-values-behind-a-return": () =>
    manyValues(Buffer.from([0x0f]), repeated(100_000, 0x10, 1, 0x0f)),
  "returns-a-thousand-values-again-and-again": () => manyValues(repeated(1_000_000, 0x0f)),
  "has-locals-that-do-not-add-up": () =>
    withCode(0, Buffer.alloc(0)).fill(0xff, at(10, withCode(0)).content + 2, at(10, withCode(0)).content + 3),
  "has-200000-types": () =>
    module(
      section(1, vector(200_000, 0x60, 0, 0)),
      section(3, Buffer.from([1, 0])),
      section(10, Buffer.from([1, 2, 0, END])),
    ),
  "has-7000-types-of-a-thousand-values": () =>
    module(section(1, vector(7_000, 0x60, ...vector(1_000, 0x7f), 0)), section(10, Buffer.from([0]))),
  "has-two-million-sections": () => Uint8Array.from(Buffer.concat([idle, repeated(2_000_000, 0, 1, 0)])),
  "has-10000-globals": () => moduleWith("(global (mut i32) (i32.const 0))".repeat(10_000)),
  "has-a-million-elements": () =>
    module(
      HANDLE_TYPE,
      section(3, Buffer.from([1, 0])),
      section(4, Buffer.from([1, 0x70, 0, ...leb128(10_000)])),
      HANDLE_EXPORT,
      section(9, Buffer.concat([Buffer.from([1, 1, 0]), vector(1_000_000, 0)])),
      section(10, Buffer.from([1, 4, 0, 0x41, 0, END])),
    ),
  "nests-100000-blocks": () => withCode(1, repeated(100_000, ...BLOCK), repeated(100_000, END)),
  "nests-loops-over-locals": () =>
    withCode(2_000, repeated(5_000, ...LOOP), rotation(2_000), BACK, repeated(5_000, END)),
  "nests-loops-over-operands": () =>
    withCode(1, repeated(20_000, 0x20, 0), repeated(20_000, ...LOOP), repeated(20_000, END), repeated(20_000, 0x1a)),
  "nests-loops": () => withCode(1, repeated(20_000, ...LOOP), BACK, repeated(20_000, END)),
  "branches-by-huge-tables": () =>
    withCode(
      2_000,
      rotation(2_000),
      Buffer.from([...LOOP, ...BLOCK, 0x20, 0, 0x0e, ...leb128(60_000), ...repeated(60_000, 0), 0, END]),
      BACK,
      Buffer.from([END]),
    ),
  "branches-over-many-locals": () =>
    withCode(
      2_000,
      rotation(2_000),
      Buffer.from(LOOP),
      repeated(50_000, 0x20, 0, 0x04, 0x40, END),
      BACK,
      Buffer.from([END]),
    ),
  "loops-carrying-a-thousand-values": () => {
    const values = "i32 ".repeat(1_000);
    return wat(`(module (type $t (func (param ${values})))
      (func (export "handle") (result i32)
        ${"i32.const 1 ".repeat(1_000)} (loop (type $t) i32.const 2 br 0) i32.const 0))`);
  },
  "loops-over-a-function-with-many-locals": () =>
    wat(`(module (func $f (local ${"v128 ".repeat(2_000)}))
      (func (export "handle") (result i32) (loop ${"call $f ".repeat(50)} br 0) i32.const 0))`),
  "returns-a-thousand-values-through-many-functions": () => {
    const values = "i32 ".repeat(1_000);
    return wat(`(module (type $t (func (param i32) (result ${values}))) (type $b (func (result ${values})))
      (func $f (type $t)
        (if (type $b) (i32.eqz (local.get 0))
          (then ${"local.get 0 ".repeat(1_000)})
          (else (call $f (i32.sub (local.get 0) (i32.const 1))))))
      (func (export "handle") (result i32) (loop (call $f (i32.const 200)) ${"drop ".repeat(1_000)} br 0) i32.const 0))`);
  },
  "fills-memory-in-a-straight-line": () => {
    const body = Buffer.concat([Buffer.from([0]), repeated(15_000, ...STRAIGHT_FILL), Buffer.from([0x41, 0, END])]);
    return module(
      HANDLE_TYPE,
      section(3, Buffer.from([1, 0])),
      section(5, Buffer.from([1, 0, ...leb128(250)])),
      HANDLE_EXPORT,
      section(10, Buffer.concat([Buffer.from([1, ...leb128(body.byteLength)]), body])),
    );
  },
  // For a reader that takes the table's index for one byte: the loop after it would be data, and free.
  "hides-a-loop-behind-a-padded-table-index": () =>
    recoded(
      wat(`(module (type $v (func)) (table 1 funcref) (elem (i32.const 0) func $f) (func $f)
        (func (export "handle") (result i32) (call_indirect (type $v) (i32.const 0)) (loop (br 0)) (i32.const 0)))`),
      [0x11, 0, 0],
      [0x11, 0x80, 0x80, 0x80, 0x80, 0, 0x80, 0x80, 0x80, 0x80, 0],
    ),
  "hides-a-loop-behind-padded-numbers": () =>
    recoded(endless, [0x0c, 0], [0x41, 0x80, 0x80, 0x80, 0x80, 0, 0x1a, 0x0c, 0x80, 0x80, 0x80, 0x80, 0]),
  "hides-a-loop-behind-a-vector": () =>
    wat('(module (func (export "handle") (result i32) (drop (v128.const i64x2 -1 -1)) (loop (br 0)) (i32.const 0)))'),
  "hides-a-loop-behind-a-constant-that-reads-as-code": () =>
    recoded(
      wat('(module (func (export "handle") (result i32) (drop (f64.const 0)) (loop (br 0)) (i32.const 0)))'),
      [0x44, 0, 0, 0, 0, 0, 0, 0, 0],
      [0x44, 0x0b, 0x0b, 0x0b, 0x02, 0x40, 0x41, 0x0b, 0x0b],
    ),
  "hides-its-start-function-behind-a-padded-size": () => {
    const starting = wat(
      '(module (func $s (loop (br 0))) (start $s) (func (export "handle") (result i32) (i32.const 0)))',
    );
    return spliced(starting, at(8, starting), [8, 0x81, 0x80, 0x80, 0x80, 0, 0]);
  },
  "has-a-custom-section-of-our-name": () => spliced(endless, { start: 8, end: 8 }, customSection("hookbox:fuel", 8)),
  "calls-its-functions-by-our-names": () =>
    Uint8Array.from([
      ...endless,
      ...section(0, Buffer.from([4, ...Buffer.from("name"), 1, 15, 1, 0, 12, ...Buffer.from("hookbox:fuel")])),
    ]),
  "imports-a-name-that-clears-the-screen": () =>
    wat(`(module (import "extism:host/env" "\\1b[2J\\e2\\80\\aeallow\\0a" (func)) ${HANDLE})`),
  "exports-a-name-twice": () =>
    spliced(idle, at(7), [7, 19, 2, ...[6, ...Buffer.from("handle"), 0, 0], ...[6, ...Buffer.from("handle"), 0, 0]]),
};
