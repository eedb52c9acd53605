import { createHash, randomFillSync } from "node:crypto";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

const WORD_BYTES = 8;
/** As many at once as take no longer than one. */
const REAL_BYTES = 512;

/** Numbers that nobody can foresee, or that only look so and are the same for the same event. */
export class RandomHost implements CapabilityHost {
  readonly functions: Readonly<Record<"random_bits", HostCall>>;
  #isGranted = false;
  #isReal = false;
  #source: Uint8Array = new Uint8Array(0);
  /** The digest of what they are made of; most guards want none. */
  #seed: Buffer | undefined;
  #blocksMade = 0n;
  /** Bits that nobody has had yet, from `#at` on. */
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

  begin({ setup, task, input, seed = input }: CallTerms): void {
    const random = setup.grants?.random;
    this.#isGranted = random !== undefined;
    this.#isReal = random === "real" && task.given === undefined;
    this.#source = seed;
    this.#seed = undefined;
    this.#blocksMade = 0n;
    // What is left of the last call's was for its guard.
    this.#at = this.#ready.byteLength;
  }

  /** 64 bits: of the system's own where the rule grants them, else those that belong to the event. */
  bits(): bigint {
    if (this.#at === this.#ready.byteLength) {
      this.#ready = this.#isReal ? randomFillSync(Buffer.alloc(REAL_BYTES)) : this.#nextBlock();
      this.#at = 0;
    }
    const bits = this.#ready.readBigUInt64LE(this.#at);
    this.#at += WORD_BYTES;
    return bits;
  }

  /** SHA-256 in counter mode: of the input's SHA-256 and the block's number, in eight bytes, little end first. */
  #nextBlock(): Buffer {
    this.#seed ??= createHash("sha256").update(this.#source).digest();
    const number = Buffer.alloc(WORD_BYTES);
    number.writeBigUInt64LE(this.#blocksMade);
    this.#blocksMade += 1n;
    return createHash("sha256").update(this.#seed).update(number).digest();
  }
}
