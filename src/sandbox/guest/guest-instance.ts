import type { StateExports } from "../admission/rewrite.ts";
import { ALL_CARDS, cardsOf, markedRanges } from "./cards.ts";

/** An instance of a module that can be restored to its first state. Runs in the guest's thread. */
export class GuestInstance {
  readonly exports: WebAssembly.Exports;
  readonly memory: WebAssembly.Memory | undefined;
  readonly #fuel: WebAssembly.Global;
  readonly #depth: WebAssembly.Global;
  readonly #marks: WebAssembly.Global | undefined;
  #budget = { fuel: 0, depth: 0 };
  readonly #state: StateExports;
  #bytes = 0;
  /** Copy of the first memory, up to its last word that is not zero, because zeros need no copy. */
  #pristine: Uint8Array = new Uint8Array(0);
  #globals: readonly { readonly global: WebAssembly.Global; readonly value: number | bigint }[] = [];
  #restorable = false;

  /**
   * With `isKept`, the instance may serve another call, which starts from its current state. Otherwise no copy is made.
   */
  constructor(instance: WebAssembly.Instance, state: StateExports, isKept = true) {
    this.#state = state;
    this.exports = instance.exports;
    this.memory = state.memory === undefined ? undefined : (this.exports[state.memory] as WebAssembly.Memory);
    this.#fuel = this.exports[state.fuel] as WebAssembly.Global;
    this.#depth = this.exports[state.depth] as WebAssembly.Global;
    this.#marks = state.marks === undefined ? undefined : (this.exports[state.marks] as WebAssembly.Global);
    if (isKept) this.remember();
  }

  /** Saves the current state as the state that `restore` returns to. */
  remember(): void {
    const { globals } = this.#state;
    this.#globals = (globals ?? []).map((name) => {
      const global = this.exports[name] as WebAssembly.Global;
      return { global, value: global.value as number | bigint };
    });
    // A NaN prevents restoring, because writing it back through JavaScript may change its bits.
    this.#restorable = globals !== undefined && !this.#globals.some(({ value }) => Number.isNaN(value));
    this.#bytes = this.memory?.buffer.byteLength ?? 0;
    if (this.#marks !== undefined) this.#marks.value = 0n;
    this.#pristine =
      this.memory === undefined || !this.#restorable ? new Uint8Array(0) : withoutZerosBehind(this.memory.buffer);
  }

  /** Sets the fuel and depth of the next call. */
  fill(fuel: number, depth: number): void {
    this.#budget = { fuel, depth };
    this.#fuel.value = BigInt(fuel);
    this.#depth.value = BigInt(depth);
  }

  /** Charges fuel for work of the host. Returns `false` if the guest has less fuel. */
  charge(fuel: number): boolean {
    this.#fuel.value -= BigInt(fuel);
    return !this.isOutOfFuel;
  }

  /** Marks memory that the host has written. Default: the whole memory. */
  touch(address = 0, bytes = Number.POSITIVE_INFINITY): void {
    if (this.#marks !== undefined) this.#marks.value |= cardsOf(address, bytes);
  }

  /** Fuel that the call has used, without the charge that exceeded the fuel, because its instructions did not run. */
  get fuelUsed(): number {
    return Math.min(this.#budget.fuel, this.#budget.fuel - Number(this.#fuel.value));
  }

  get isOutOfFuel(): boolean {
    return this.#fuel.value < 0n;
  }

  get isTooDeep(): boolean {
    return this.#depth.value < 0n;
  }

  /** Restores memory and globals. Returns `false` if the result is not exact; the instance is then unusable. */
  restore(): boolean {
    if (!this.#restorable) return false;
    if (this.memory !== undefined) {
      if (this.memory.buffer.byteLength !== this.#bytes) return false;
      const memory = new Uint8Array(this.memory.buffer);
      const marks = (this.#marks?.value as bigint | undefined) ?? ALL_CARDS;
      for (const [start, end] of markedRanges(marks, this.#bytes)) {
        const written = this.#pristine.subarray(start, end);
        memory.set(written, start);
        memory.fill(0, start + written.byteLength, end);
      }
      if (this.#marks !== undefined) this.#marks.value = 0n;
    }
    for (const { global, value } of this.#globals) global.value = value;
    return true;
  }
}

/**
 * Returns a copy without trailing zero words. The size of memory is a multiple of a word, because it consists of pages.
 */
function withoutZerosBehind(buffer: ArrayBuffer): Uint8Array {
  const words = new Int32Array(buffer);
  let used = words.length;
  while (used > 0 && words[used - 1] === 0) used -= 1;
  return new Uint8Array(buffer, 0, used * Int32Array.BYTES_PER_ELEMENT).slice();
}
