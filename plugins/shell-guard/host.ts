// The only file that talks to the host. Blocks of the host are read and written in steps of 8 bytes: every step is a
// call out of the sandbox, which costs more than anything else here.

import { asciiAt, unitAt } from "./units";

// @ts-ignore: decorator
@external("extism:host/env", "input_length")
declare function input_length(): i64;
// @ts-ignore: decorator
@external("extism:host/env", "input_load_u8")
declare function input_load_u8(offset: i64): u32;
// @ts-ignore: decorator
@external("extism:host/env", "input_load_u64")
declare function input_load_u64(offset: i64): u64;
// @ts-ignore: decorator
@external("extism:host/env", "alloc")
declare function alloc(length: i64): i64;
// @ts-ignore: decorator
@external("extism:host/env", "free")
declare function free(handle: i64): void;
// @ts-ignore: decorator
@external("extism:host/env", "length")
declare function length(handle: i64): i64;
// @ts-ignore: decorator
@external("extism:host/env", "load_u8")
declare function load_u8(address: i64): u32;
// @ts-ignore: decorator
@external("extism:host/env", "load_u64")
declare function load_u64(address: i64): u64;
// @ts-ignore: decorator
@external("extism:host/env", "store_u8")
declare function store_u8(address: i64, value: u32): void;
// @ts-ignore: decorator
@external("extism:host/env", "store_u64")
declare function store_u64(address: i64, value: u64): void;
// @ts-ignore: decorator
@external("extism:host/env", "output_set")
declare function output_set(handle: i64, length: i64): void;
// @ts-ignore: decorator
@external("extism:host/env", "error_set")
declare function error_set(handle: i64): void;
// @ts-ignore: decorator
@external("extism:host/env", "config_get")
declare function config_get(key: i64): i64;

/** Bytes in the guest's own memory. */
export class Bytes {
  constructor(
    public start: usize,
    public end: usize,
  ) {}
}

// Behind what the host gave stand some zeros, so that readers may always take eight bytes.
const MARGIN: usize = 8;

export function readInput(): Bytes {
  const size = <usize>input_length();
  const start = room(size);
  let offset: usize = 0;
  for (; offset + 8 <= size; offset += 8) store<u64>(start + offset, input_load_u64(<i64>offset));
  if (offset < size) {
    // The last step overlaps the one before: one call instead of up to seven.
    if (size >= 8) store<u64>(start + size - 8, input_load_u64(<i64>(size - 8)));
    else for (; offset < size; offset++) store<u8>(start + offset, <u8>input_load_u8(<i64>offset));
  }
  return new Bytes(start, start + size);
}

/** The configured value as JSON text (a string is its own text), or null. */
export function readConfig(key: string): Bytes | null {
  const handle = config_get(sendAscii(key));
  return handle === 0 ? null : readBlock(handle);
}

function readBlock(handle: i64): Bytes {
  const size = <usize>length(handle);
  const start = room(size);
  let offset: usize = 0;
  for (; offset + 8 <= size; offset += 8) store<u64>(start + offset, load_u64(handle + <i64>offset));
  for (; offset < size; offset++) store<u8>(start + offset, <u8>load_u8(handle + <i64>offset));
  free(handle);
  return new Bytes(start, start + size);
}

function room(size: usize): usize {
  const start = heap.alloc(size + MARGIN);
  store<u64>(start + size, 0);
  return start;
}

export function writeOutput(ascii: string): void {
  output_set(sendAscii(ascii), <i64>ascii.length);
}

export function writeError(ascii: string): void {
  error_set(sendAscii(ascii));
}

function sendAscii(text: string): i64 {
  const size = text.length;
  const handle = alloc(<i64>size);
  if (handle === 0) unreachable();
  let offset = 0;
  for (; offset + 8 <= size; offset += 8) store_u64(handle + <i64>offset, asciiAt(text, offset));
  if (offset < size) {
    if (size >= 8) store_u64(handle + <i64>(size - 8), asciiAt(text, size - 8));
    else for (; offset < size; offset++) store_u8(handle + <i64>offset, <u32>(unitAt(text, offset) & 0x7f));
  }
  return handle;
}
