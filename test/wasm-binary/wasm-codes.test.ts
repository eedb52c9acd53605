import { describe, expect, test } from "vitest";
import * as wasmparser from "wasmparser";
import {
  EXTERNAL,
  EXTERNAL_KINDS,
  LASTING_OPERATORS,
  OPERATOR,
  READER_STATE,
  SECTION,
  TYPE_KIND,
} from "../../src/wasm-binary/wasm-codes.ts";

type Codes = Readonly<Record<string, number | undefined>>;

// The package's declarations hide the tables that it exports.
const exported = wasmparser as unknown as Readonly<Record<string, Codes>>;

function tableOf(name: string): Codes {
  const table = exported[name];
  if (table === undefined) throw new Error(`wasmparser does not export ${name}`);
  return table;
}

const capitalised = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

describe("the table of", () => {
  test("section codes equals the parser's", () => {
    for (const [name, code] of Object.entries(SECTION))
      expect([name, tableOf("SectionCode")[capitalised(name)]]).toEqual([name, code]);
  });

  test("external kinds equals the parser's, in the same order", () => {
    EXTERNAL_KINDS.forEach((name, code) => {
      expect([name, tableOf("ExternalKind")[capitalised(name)]]).toEqual([name, code]);
    });
    for (const [name, code] of Object.entries(EXTERNAL)) expect(EXTERNAL_KINDS[code]).toBe(name);
  });

  test("reader states equals the parser's", () => {
    for (const [name, code] of Object.entries(READER_STATE))
      expect([name, tableOf("BinaryReaderState")[name]]).toEqual([name, code]);
  });

  test("operators equals the parser's", () => {
    for (const [name, code] of Object.entries({ ...OPERATOR, ...LASTING_OPERATORS }))
      expect([name, tableOf("OperatorCode")[name]]).toEqual([name, code]);
  });

  test("value types equals what the parser reads for the bytes of the binary format", () => {
    const bytes = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b, func: 0x60 };
    expect(Object.keys(TYPE_KIND).sort()).toEqual(Object.keys(bytes).sort());
    for (const [name, byte] of Object.entries(bytes)) {
      expect([name, (byte << 25) >> 25]).toEqual([name, TYPE_KIND[name as keyof typeof bytes]]);
    }
    // One function type (i32, i64) -> (f32, f64), and nothing else.
    const module = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 8, 1, 0x60, 2, 0x7f, 0x7e, 2, 0x7d, 0x7c);
    const reader = new wasmparser.BinaryReader();
    reader.setData(module.buffer, 0, module.byteLength);
    const entries: { form: number; kinds: number[] }[] = [];
    while (reader.read()) {
      if (reader.state !== READER_STATE.TYPE_SECTION_ENTRY) continue;
      const { form, params, returns } = reader.result as wasmparser.ITypeEntry;
      entries.push({ form, kinds: [...(params ?? []), ...(returns ?? [])].map(({ kind }) => kind) });
    }
    expect(entries).toEqual([
      { form: TYPE_KIND.func, kinds: [TYPE_KIND.i32, TYPE_KIND.i64, TYPE_KIND.f32, TYPE_KIND.f64] },
    ]);
  });
});
