import type { GuestMemory } from "./guest-memory.ts";
import { ERRNO, type Errno } from "./wasi-codes.ts";

/**
 * Reads lists of buffers for WASI's `fd_read` and `fd_write`. A host call has a fixed fuel cost, so one call moves only
 * as many bytes as take about a microsecond. The guest must call again for the rest.
 */

const BUFFER_BYTES = 8;
/** Maximum number of buffers in a list, which C libraries report to their programs. */
const MAX_BUFFERS = 1_024;
/** The number of buffers that one call uses: C libraries write two at once, and each view costs time. */
const BUFFERS_AT_ONCE = 2;
const BYTES_AT_ONCE = 16_384;

/** Returns the buffers that this call reads or writes, or an error number. Does not read or write their bytes. */
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
