import type { Failure } from "../../outcome.ts";

/** Memory that one guest call has allocated on the host's side. An address is an offset into one bounded heap. */

export interface BlockLimits {
  /** The maximum size of all blocks of one call together. */
  readonly heapBytes: number;
  readonly blocks: number;
}

/** Thrown into the guest. The call has failed, even if the guest continues. */
export class GuestFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

// Address 0 means "no block" in this ABI, so the heap starts after it.
const HEAP_START = 8;

/**
 * A range of the heap. The host reads its bytes only after the call, because a host call costs the guest a fixed amount
 * of fuel, so a copy would not be paid for.
 */
export interface Span {
  readonly start: number;
  readonly size: number;
}

/** The heap of one call. Every limit is checked before memory is allocated or accessed. */
export class GuestBlocks {
  #limits: BlockLimits = { heapBytes: 0, blocks: 0 };
  #heap = new Uint8Array(65_536);
  #view = new DataView(this.#heap.buffer);
  #top = HEAP_START;
  readonly #blocks = new Map<number, number>();
  #made = 0;
  #failure: Failure | undefined;

  /** Resets the heap for the next call. */
  begin(limits: BlockLimits): void {
    // The heap is zeroed, because bytes of an earlier event must not be readable.
    this.#heap.fill(0, 0, this.#top);
    this.#top = HEAP_START;
    this.#blocks.clear();
    this.#made = 0;
    this.#failure = undefined;
    this.#limits = limits;
  }

  /** The guest's first failure in this call. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** The heap's bytes, for loads and stores at an address that was checked by `address`. */
  get view(): DataView {
    return this.#view;
  }

  refuse(failure: Failure): never {
    this.#failure ??= failure;
    throw new GuestFailure(failure);
  }

  /** Returns the offset of an address. Refuses if its `size` bytes are not all in allocated memory. */
  address(address: bigint, size: number, what: string): number {
    const offset = Number(address);
    if (offset < HEAP_START || offset + size > this.#top) return this.badAddress(what, address);
    return offset;
  }

  badAddress(what: string, address: bigint): never {
    return this.refuse({
      kind: "trap",
      message: `guest ABI: ${what} at address ${address} is outside of every block`,
    });
  }

  span(handle: bigint, what: string): Span {
    const start = Number(handle);
    const size = this.#blocks.get(start);
    return size === undefined ? this.badAddress(what, handle) : { start, size };
  }

  /** Returns a view. A caller that keeps the bytes after the host function returns must copy them. */
  bytes({ start, size }: Span): Uint8Array {
    return this.#heap.subarray(start, start + size);
  }

  /** Returns the bytes of a block by its handle, as a view. */
  block(handle: bigint, what: string): Uint8Array {
    return this.bytes(this.span(handle, what));
  }

  /** Returns the size of a block. Returns 0 for an address where no block starts. */
  sizeOf(handle: bigint): number {
    return this.#blocks.get(Number(handle)) ?? 0;
  }

  free(handle: bigint): void {
    this.#blocks.delete(Number(handle));
  }

  allocate(size: number): number {
    const { heapBytes, blocks } = this.#limits;
    if (this.#made >= blocks) {
      return this.refuse({
        kind: "memory",
        message: `guest ABI: more than ${blocks} blocks in one call`,
        limit: blocks,
        value: this.#made + 1,
      });
    }
    // The size is rounded up, so that 8-byte loads and stores of the plug-in kits stay within their block. An empty
    // block takes space too, because the next block would otherwise have the same address.
    const space = Math.max(1, Math.ceil(size / 8)) * 8;
    if (this.#top - HEAP_START + space > heapBytes) {
      return this.refuse({
        kind: "memory",
        message: `guest ABI: blocks of more than ${heapBytes} bytes in one call`,
        limit: heapBytes,
        value: this.#top + size,
      });
    }
    const start = this.#top;
    this.#reserve(start + space);
    this.#top = start + space;
    this.#made += 1;
    this.#blocks.set(start, size);
    return start;
  }

  /** Converts a size that a guest asks for. WebAssembly passes i64 values as signed. */
  size(length: bigint): number {
    // A size this large is an error of the guest, and must not be rounded as a number.
    if (length < 0n || length > 0xffff_ffffn) {
      return this.refuse({
        kind: "memory",
        message: `guest ABI: asked for a block of ${length} bytes`,
        limit: this.#limits.heapBytes,
      });
    }
    return Number(length);
  }

  /** Allocates a block with a copy of `bytes` and returns its handle. */
  store(bytes: Uint8Array): bigint {
    const start = this.allocate(bytes.byteLength);
    this.#heap.set(bytes, start);
    return BigInt(start);
  }

  #reserve(end: number): void {
    if (end <= this.#heap.byteLength) return;
    const heap = new Uint8Array(
      Math.max(end, Math.min(this.#heap.byteLength * 2, this.#limits.heapBytes + HEAP_START)),
    );
    heap.set(this.#heap.subarray(0, this.#top));
    const view = new DataView(heap.buffer);
    // Both fields are set after all allocations. A guest can cause a stack overflow in this method, and the next guest
    // must not get a heap and a view that do not match.
    this.#heap = heap;
    this.#view = view;
  }
}
