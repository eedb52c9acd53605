/**
 * The memory of the current guest. Pointers and lengths from the guest are read as unsigned and must be checked with
 * `holds` before use. An invalid pointer is an error of the guest and must never make the host throw.
 */
export class GuestMemory {
  #memory: WebAssembly.Memory | undefined;
  #view = new DataView(new ArrayBuffer(0));

  /** Sets the memory. `undefined`: the guest has no memory, so every pointer is invalid. */
  attach(memory: WebAssembly.Memory | undefined): void {
    this.#memory = memory;
    this.#view = new DataView(new ArrayBuffer(0));
  }

  /**
   * Whether `size` bytes at `pointer` are all in memory. Both may be negative, because WebAssembly's values are signed.
   */
  holds(pointer: number, size: number): boolean {
    return (pointer >>> 0) + (size >>> 0) <= this.view.byteLength;
  }

  /** A view of the memory. Recreated after the guest has grown its memory, which detaches the old buffer. */
  get view(): DataView {
    const buffer = this.#memory?.buffer;
    if (buffer !== undefined && buffer !== this.#view.buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  /** Returns a view of bytes that `holds` has checked. A caller that keeps the bytes must copy them. */
  bytes(pointer: number, size: number): Uint8Array {
    return new Uint8Array(this.view.buffer, pointer >>> 0, size >>> 0);
  }

  getUint32(pointer: number): number {
    return this.view.getUint32(pointer >>> 0, true);
  }

  setUint32(pointer: number, value: number): void {
    this.view.setUint32(pointer >>> 0, value, true);
  }

  setUint64(pointer: number, value: bigint): void {
    this.view.setBigUint64(pointer >>> 0, BigInt.asUintN(64, value), true);
  }
}
