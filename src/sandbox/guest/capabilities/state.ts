import type { StateGrant } from "../../../grants.ts";
import type { StateValues } from "../../../state/state-store.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { Effects } from "../protocol.ts";
import type { CallContext, CapabilityHost, HostCall } from "./capability.ts";

/** The maximum length of a key. Keys are names, so data cannot be stored in them. */
const MAX_KEY_BYTES = 256;
/** The maximum size of all values that one call sets. Each value is copied, but a host call has a fixed fuel cost. */
const MAX_BYTES_SET = 4 * 1_048_576;

const NOTHING: StateValues = new Map();

/** Fatal, because different invalid keys would otherwise be decoded to the same text. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Host functions for variables that a guard keeps between calls of a session. A call sees its own changes. The engine
 * stores the changes after the guard has answered.
 */
export class StateHost implements CapabilityHost {
  readonly functions: Readonly<Record<"var_get" | "var_set", HostCall>>;
  readonly #blocks: GuestBlocks;
  #grant: StateGrant | undefined;
  #kept: StateValues = NOTHING;
  #changes: Map<string, Uint8Array | null> | undefined;
  /** Number of keys, and `#bytes` of keys and values, including changes. Counted only once a value is set. */
  #keys = 0;
  #bytes = 0;
  #bytesSet = 0;

  constructor(blocks: GuestBlocks) {
    this.#blocks = blocks;
    this.functions = {
      var_get: (_: unknown, key: bigint) => this.#get(key),
      var_set: (_: unknown, key: bigint, value: bigint) => this.#set(key, value),
    };
  }

  begin({ setup, task }: CallContext): void {
    this.#grant = setup.grants?.state;
    this.#kept = task.state ?? NOTHING;
    this.#changes = undefined;
    this.#bytesSet = 0;
  }

  /** Changed variables. `undefined` if there are none. */
  get changes(): Effects["state"] {
    return this.#changes === undefined || this.#changes.size === 0 ? undefined : [...this.#changes];
  }

  #get(handle: bigint): bigint {
    this.#granted("var_get");
    const value = this.#value(this.#key(handle, "var_get"));
    return value === undefined ? 0n : this.#blocks.store(value);
  }

  #set(handle: bigint, valueHandle: bigint): void {
    const grant = this.#granted("var_set");
    const key = this.#key(handle, "var_set");
    const block = valueHandle === 0n ? undefined : this.#blocks.block(valueHandle, "var_set");
    if (this.#changes === undefined) this.#count();
    const before = this.#value(key);
    if (block === undefined) this.#remove(key, before);
    else this.#put(key, block, before, grant);
  }

  #put(key: string, block: Uint8Array, before: Uint8Array | undefined, { maxKeys, maxBytes }: StateGrant): void {
    const keys = before === undefined ? this.#keys + 1 : this.#keys;
    if (keys > maxKeys) this.#refuse(`more than ${maxKeys} variables`, maxKeys, keys);
    const added = before === undefined ? Buffer.byteLength(key) : -before.byteLength;
    const bytes = this.#bytes + added + block.byteLength;
    if (bytes > maxBytes) this.#refuse(`variables of ${bytes} bytes; the limit is ${maxBytes}`, maxBytes, bytes);
    const bytesSet = this.#bytesSet + block.byteLength;
    if (bytesSet > MAX_BYTES_SET) {
      this.#refuse(`set variables to more than ${MAX_BYTES_SET} bytes in one call`, MAX_BYTES_SET, bytesSet);
    }
    // The value is copied, because the guest can change its block, and the next call reuses the heap.
    const value = block.slice();
    this.#changed.set(key, value);
    this.#keys = keys;
    this.#bytes = bytes;
    this.#bytesSet = bytesSet;
  }

  #remove(key: string, before: Uint8Array | undefined): void {
    if (before === undefined) return;
    this.#keys -= 1;
    this.#bytes -= Buffer.byteLength(key) + before.byteLength;
    if (this.#kept.has(key)) this.#changed.set(key, null);
    else this.#changed.delete(key);
  }

  get #changed(): Map<string, Uint8Array | null> {
    this.#changes ??= new Map();
    return this.#changes;
  }

  #count(): void {
    this.#keys = this.#kept.size;
    this.#bytes = 0;
    for (const [key, { byteLength }] of this.#kept) this.#bytes += Buffer.byteLength(key) + byteLength;
  }

  #value(key: string): Uint8Array | undefined {
    const changed = this.#changes?.get(key);
    return changed === undefined ? this.#kept.get(key) : (changed ?? undefined);
  }

  #key(handle: bigint, what: string): string {
    const bytes = this.#blocks.block(handle, what);
    if (bytes.byteLength > MAX_KEY_BYTES) {
      const { byteLength } = bytes;
      this.#refuse(`a key of ${byteLength} bytes; the limit is ${MAX_KEY_BYTES}`, MAX_KEY_BYTES, byteLength);
    }
    try {
      return decoder.decode(bytes);
    } catch {
      return this.#blocks.refuse({ kind: "trap", message: `guest ABI: ${what} with a key that is not UTF-8` });
    }
  }

  #granted(name: string): StateGrant {
    return this.#grant ?? this.#blocks.refuse({ kind: "capability", message: `${name} needs a grant of "state"` });
  }

  #refuse(what: string, limit: number, value: number): never {
    return this.#blocks.refuse({ kind: "memory", message: `guest ABI: ${what}`, limit, value });
  }
}
