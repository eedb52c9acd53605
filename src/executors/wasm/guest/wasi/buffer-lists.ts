import type { GuestMemory } from "./guest-memory.ts";
import { ERRNO, type Errno } from "./wasi-codes.ts";

/**
 * Lists of buffers, as WASI reads into and writes from. A call of the host costs a guest the same however much it moves,
 * so that one call moves no more than is done in a microsecond or so: whoever reads or writes goes on with the rest.
 */

const BUFFER_BYTES = 8;
/** Most that a list may have, as C libraries tell their programs. */
const MAX_BUFFERS = 1_024;
/** As many as C libraries write at once. A view of each is made, which takes longer than to move a thousand bytes. */
const BUFFERS_AT_ONCE = 2;
export const BYTES_AT_ONCE = 16_384;

/** The buffers of a list that this call is about, or what is wrong with it. Nothing has been read or written yet. */
export function buffersOf(memory: GuestMemory, list: number, count: number): readonly Uint8Array[] | Errno {
  if (count >>> 0 > MAX_BUFFERS) return ERRNO.inval;
  if (!memory.holds(list, count * BUFFER_BYTES)) return ERRNO.fault;
  const buffers: Uint8Array[] = [];
  let left = BYTES_AT_ONCE;
  for (let index = 0; index < Math.min(count, BUFFERS_AT_ONCE); index += 1) {
    const entry = (list >>> 0) + index * BUFFER_BYTES;
    const [pointer, size] = [memory.getUint32(entry), memory.getUint32(entry + 4)];
    if (!memory.holds(pointer, size)) return ERRNO.fault;
    const bytes = memory.bytes(pointer, Math.min(size, left));
    if (bytes.byteLength > 0) buffers.push(bytes);
    left -= bytes.byteLength;
  }
  return buffers;
}
