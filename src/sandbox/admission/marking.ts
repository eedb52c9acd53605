import type { Store } from "../../wasm-binary/function-reader.ts";
import { leb128, signedLeb128 } from "../../wasm-binary/leb128.ts";
import { CARD_BYTES, CARD_SHIFT } from "../guest/cards.ts";

/**
 * Code that marks which cards of memory an instruction writes. It runs before the instruction, with the instruction's
 * operands on the stack. The guest's own code has no index for the global `marks`.
 */

/** Returns scratch locals of the function, as encoded indices. */
export interface WritingLocals {
  value(type: number): readonly number[];
  address(): readonly number[];
  source(): readonly number[];
}

const I32 = 0x7f;
const CODE = {
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  i64Const: 0x42,
  i32GreaterUnsigned: 0x4b,
  i32Add: 0x6a,
  i32Subtract: 0x6b,
  i32ShiftRightUnsigned: 0x76,
  i64Or: 0x84,
  i64ShiftLeft: 0x86,
  i64ExtendI32Unsigned: 0xad,
} as const;

/** The constant -1, which has all bits. */
const ALL: readonly number[] = [CODE.i64Const, 0x7f];

/**
 * Marks the card that a store writes. Its last bytes may be in the next card; the host restores them too. The sum of
 * address and offset wraps only if the store is outside of memory, and then the store traps.
 */
export function markStore({ type, offset }: Store, marks: number, locals: WritingLocals): number[] {
  const value = locals.value(type);
  const address = locals.address();
  const sum = offset === 0 ? [] : [CODE.i32Const, ...signedLeb128(offset), CODE.i32Add];
  // A constant of 2 GiB or more is a negative number, which `signedLeb128` does not encode.
  const bits = offset < 2 ** 31 ? bitOf([CODE.localGet, ...address, ...sum]) : ALL;
  return [
    ...[CODE.localSet, ...value, CODE.localTee, ...address],
    ...[CODE.globalGet, ...leb128(marks), ...bits, CODE.i64Or, CODE.globalSet, ...leb128(marks)],
    ...[CODE.localGet, ...value],
  ];
}

/** Marks the first and the last card of a bulk operation, or all cards if the operation is longer than a card. */
export function markBulk(marks: number, locals: WritingLocals): number[] {
  const [length, source, address] = [locals.value(I32), locals.source(), locals.address()];
  const start = [CODE.localGet, ...address];
  const last = [...start, CODE.localGet, ...length, CODE.i32Add, CODE.i32Const, 1, CODE.i32Subtract];
  const isLong = [CODE.localGet, ...length, CODE.i32Const, ...signedLeb128(CARD_BYTES), CODE.i32GreaterUnsigned];
  const bits = [...ALL, ...[...bitOf(start), ...bitOf(last), CODE.i64Or], ...[...isLong, CODE.select]];
  return [
    ...[CODE.localSet, ...length, CODE.localSet, ...source, CODE.localTee, ...address],
    ...[CODE.globalGet, ...leb128(marks), ...bits, CODE.i64Or, CODE.globalSet, ...leb128(marks)],
    ...[CODE.localGet, ...source, CODE.localGet, ...length],
  ];
}

/** Computes the bit of the card with an address. A shift of 64 bits or more wraps, so distant cards share a bit. */
function bitOf(address: readonly number[]): number[] {
  const card = [...address, CODE.i32Const, CARD_SHIFT, CODE.i32ShiftRightUnsigned, CODE.i64ExtendI32Unsigned];
  return [CODE.i64Const, 1, ...card, CODE.i64ShiftLeft];
}
