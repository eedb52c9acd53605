/**
 * The memory of the guest that runs now, as a pointer and a length from it have to be read: unsigned, and checked before
 * anything is done with them. A pointer that is none is the guest's error, and never one of ours.
 */
export class GuestMemory {
  #memory: WebAssembly.Memory | undefined;
  #view = new DataView(new ArrayBuffer(0));

  /** `undefined`: a guest without memory, in which no pointer is good. */
  attach(memory: WebAssembly.Memory | undefined): void {
    this.#memory = memory;
    this.#view = new DataView(new ArrayBuffer(0));
  }

  /** Whether so many bytes from there on are all in memory. Both may be as signed as wasm hands them over. */
  holds(pointer: number, size: number): boolean {
    return (pointer >>> 0) + (size >>> 0) <= this.view.byteLength;
  }

  /** Anew whenever the guest has grown its memory: the buffer of before is gone then. */
  get view(): DataView {
    const buffer = this.#memory?.buffer;
    if (buffer !== undefined && buffer !== this.#view.buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  /** A view of bytes that `holds` has said yes to. Whoever keeps it longer than the host's function runs makes a copy. */
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
