/**
 * Codes of the WebAssembly binary format, and the states of `wasmparser`'s reader. The library declares them as
 * ambient const enums, which `isolatedModules` cannot read. A test compares these tables with the library's exports.
 */

export const SECTION = {
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
} as const;

export const EXTERNAL_KINDS = ["function", "table", "memory", "global", "tag"] as const;
export type ExternalKind = (typeof EXTERNAL_KINDS)[number];
export const EXTERNAL = { function: 0, memory: 2, global: 3 } as const;

/** Value types, as the values of the signed LEB128 bytes that encode them. */
export const TYPE_KIND = { i32: -1, i64: -2, f32: -3, f64: -4, v128: -5, func: -32 } as const;

export const READER_STATE = {
  ERROR: -1,
  BEGIN_SECTION: 3,
  END_SECTION: 4,
  TYPE_SECTION_ENTRY: 11,
  IMPORT_SECTION_ENTRY: 12,
  FUNCTION_SECTION_ENTRY: 13,
  MEMORY_SECTION_ENTRY: 15,
  EXPORT_SECTION_ENTRY: 17,
  TABLE_SECTION_ENTRY: 14,
  INIT_EXPRESSION_OPERATOR: 26,
  ELEMENT_SECTION_ENTRY_BODY: 34,
  BEGIN_GLOBAL_SECTION_ENTRY: 39,
} as const;

/** Instructions that metering handles, by the parser's codes. Prefixed opcodes include their prefix. */
export const OPERATOR = {
  unreachable: 0x00,
  nop: 0x01,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  br_if: 0x0d,
  br_table: 0x0e,
  return: 0x0f,
  call: 0x10,
  call_indirect: 0x11,
  table_get: 0x25,
  table_set: 0x26,
  memory_grow: 0x40,
  ref_func: 0xd2,
  memory_init: 0xfc08,
  memory_copy: 0xfc0a,
  memory_fill: 0xfc0b,
  table_init: 0xfc0c,
  table_copy: 0xfc0e,
  table_grow: 0xfc0f,
  table_fill: 0xfc11,
} as const;

/** Instructions that change state which JavaScript cannot restore: tables, and which segments were dropped. */
export const LASTING_OPERATORS = {
  table_set: 0x26,
  data_drop: 0xfc09,
  table_init: 0xfc0c,
  elem_drop: 0xfc0d,
  table_copy: 0xfc0e,
  table_grow: 0xfc0f,
  table_fill: 0xfc11,
} as const;

/** Operators that write memory, with the type of the value on top of the stack. The address is below the value. */
export const STORES: Readonly<Record<number, number>> = {
  54: 0x7f,
  55: 0x7e,
  56: 0x7d,
  57: 0x7c,
  58: 0x7f,
  59: 0x7f,
  60: 0x7e,
  61: 0x7e,
  62: 0x7e,
  // Vectors, and parts of vectors.
  1036299: 0x7b,
  1036376: 0x7b,
  1036377: 0x7b,
  1036378: 0x7b,
  1036379: 0x7b,
};

/** Bulk operators, with the unit of the length on top of the stack. */
export const BULK = {
  [OPERATOR.memory_grow]: "pages",
  [OPERATOR.memory_init]: "bytes",
  [OPERATOR.memory_copy]: "bytes",
  [OPERATOR.memory_fill]: "bytes",
  [OPERATOR.table_init]: "entries",
  [OPERATOR.table_copy]: "entries",
  [OPERATOR.table_grow]: "entries",
  [OPERATOR.table_fill]: "entries",
} as const;
