import type { Failure } from "../../../outcome.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { Random } from "./wasi-capability.ts";
import { ERRNO, type Errno } from "./wasi-codes.ts";

/** The maximum number of random bytes in one call, because a host call costs fixed fuel for any number. */
const MAX_RANDOM_BYTES = 65_536;

export class WasiRandom {
  readonly #memory: GuestMemory;
  readonly #random: Random;
  readonly #refuse: (failure: Failure) => never;
  #given = 0;

  constructor(memory: GuestMemory, random: Random, refuse: (failure: Failure) => never) {
    this.#memory = memory;
    this.#random = random;
    this.#refuse = refuse;
  }

  begin(): void {
    this.#given = 0;
  }

  fill(pointer: number, size: number): Errno {
    if (!this.#memory.holds(pointer, size)) return ERRNO.fault;
    const bytes = this.#memory.bytes(pointer, size);
    // The number is rounded up, because random bytes are generated eight at a time.
    this.#given += Math.ceil(bytes.byteLength / 8) * 8;
    if (this.#given > MAX_RANDOM_BYTES) {
      this.#refuse({
        kind: "memory",
        message: `random_get: more than ${MAX_RANDOM_BYTES} bytes in one call`,
        limit: MAX_RANDOM_BYTES,
        value: this.#given,
      });
    }
    const word = new DataView(new ArrayBuffer(8));
    const letters = new Uint8Array(word.buffer);
    for (let at = 0; at < bytes.byteLength; at += 8) {
      word.setBigUint64(0, this.#random.bits(), true);
      bytes.set(letters.subarray(0, bytes.byteLength - at), at);
    }
    return ERRNO.success;
  }
}
