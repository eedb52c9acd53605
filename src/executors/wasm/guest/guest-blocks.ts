import type { Failure } from "../../../outcome.ts";

/** What one call of a guest has allocated on the host's side. An address is an offset into one heap with a cap. */

export interface BlockLimits {
  /** All blocks of one call, together. */
  readonly heapBytes: number;
  readonly blocks: number;
}

/** Thrown into the guest. It cannot be recovered from there: the call has failed whatever the guest does next. */
export class Violation extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

// Address 0 means "no block" in this ABI, so the heap starts behind it.
const HEAP_START = 8;

/** A place on the heap. What it holds is read when the call is over: a call of the host costs the guest a flat price. */
export interface Span {
  readonly start: number;
  readonly size: number;
}

/** Every check comes before the memory that it guards. */
export class GuestBlocks {
  #limits: BlockLimits = { heapBytes: 0, blocks: 0 };
  #heap = new Uint8Array(65_536);
  #view = new DataView(this.#heap.buffer);
  #top = HEAP_START;
  readonly #blocks = new Map<number, number>();
  #made = 0;
  #violation: Failure | undefined;

  /** Forgets the call before. */
  begin(limits: BlockLimits): void {
    // What an earlier event left in the heap must not be readable through an address that nobody allocated.
    this.#heap.fill(0, 0, this.#top);
    this.#top = HEAP_START;
    this.#blocks.clear();
    this.#made = 0;
    this.#violation = undefined;
    this.#limits = limits;
  }

  /** Set once, by the first thing that the guest did and may not do. */
  get violation(): Failure | undefined {
    return this.#violation;
  }

  /** The heap's bytes, for loads and stores at an address that `address` has checked. */
  get view(): DataView {
    return this.#view;
  }

  refuse(failure: Failure): never {
    this.#violation ??= failure;
    throw new Violation(failure);
  }

  /** An address whose `size` bytes are all within what was allocated. */
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

  /** A view: whoever keeps it longer than the host's function runs makes a copy. */
  bytes({ start, size }: Span): Uint8Array {
    return this.#heap.subarray(start, start + size);
  }

  /** The bytes of a block that the guest names, as a view. */
  block(handle: bigint, what: string): Uint8Array {
    return this.bytes(this.span(handle, what));
  }

  /** 0 for an address that is no block's. */
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
    // Rounded up so that the 8-byte loads and stores of the PDKs stay within their block's own space.
    // An empty block takes room too, or the next one would have its address.
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

  /** A size that a guest asks for. Wasm's i64 arrives signed. */
  size(length: bigint): number {
    // Nobody asks for that much on purpose.
    if (length < 0n || length > 0xffff_ffffn) {
      return this.refuse({
        kind: "memory",
        message: `guest ABI: asked for a block of ${length} bytes`,
        limit: this.#limits.heapBytes,
      });
    }
    return Number(length);
  }

  /** A new block with a copy of these bytes. */
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
    // Both or neither: a guest can make the stack overflow in here, and the next guest gets what is left.
    this.#heap = heap;
    this.#view = view;
  }
}
