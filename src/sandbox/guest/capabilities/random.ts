import { createHash, randomFillSync } from "node:crypto";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallContext, CapabilityHost, HostCall } from "./capability.ts";

const WORD_BYTES = 8;
/** The size of chunks of random bytes. Reading a chunk takes no longer than reading 8 bytes. */
const REAL_BYTES = 512;

/** Host functions for random numbers: the system's if the rule grants them, otherwise derived from the event. */
export class RandomHost implements CapabilityHost {
  readonly functions: Readonly<Record<"random_bits", HostCall>>;
  #isGranted = false;
  #isReal = false;
  #source: Uint8Array = new Uint8Array(0);
  /** Digest of `#source`, computed at the first use, because most guards need no random numbers. */
  #seed: Buffer | undefined;
  #blocksMade = 0n;
  /** Random bytes. The bytes before `#at` have been used. */
  #ready: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(blocks: GuestBlocks) {
    this.functions = {
      random_bits: () =>
        this.#isGranted
          ? this.bits()
          : blocks.refuse({ kind: "capability", message: 'random_bits needs a grant of "random"' }),
    };
  }

  begin({ setup, task, input, seed = input }: CallContext): void {
    const random = setup.grants?.random;
    this.#isGranted = random !== undefined;
    this.#isReal = random === "real" && task.given === undefined;
    this.#source = seed;
    this.#seed = undefined;
    this.#blocksMade = 0n;
    // Drops the remaining bytes of the last call, which belong to another guard or event.
    this.#at = this.#ready.byteLength;
  }

  /** Returns 64 bits: the system's if the rule grants them, otherwise derived from the event. */
  bits(): bigint {
    if (this.#at === this.#ready.byteLength) {
      this.#ready = this.#isReal ? randomFillSync(Buffer.alloc(REAL_BYTES)) : this.#nextBlock();
      this.#at = 0;
    }
    const bits = this.#ready.readBigUInt64LE(this.#at);
    this.#at += WORD_BYTES;
    return bits;
  }

  /** Returns SHA-256 in counter mode: hashes the seed's SHA-256 and the block number as eight bytes, little-endian. */
  #nextBlock(): Buffer {
    this.#seed ??= createHash("sha256").update(this.#source).digest();
    const number = Buffer.alloc(WORD_BYTES);
    number.writeBigUInt64LE(this.#blocksMade);
    this.#blocksMade += 1n;
    return createHash("sha256").update(this.#seed).update(number).digest();
  }
}
