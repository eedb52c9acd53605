import type { ExtismPluginOptions } from "@extism/extism";
import type { Failure } from "../../../outcome.ts";
import { HOST_NAMESPACE, type HostFunctionName } from "./guest-abi.ts";

/**
 * The guest ABI, host side: one call's memory, input, output and log. Runs in the guest's thread.
 *
 * Extism's own implementation makes a buffer for each block before it checks any limit, wraps handles after 32,767
 * blocks and ignores lengths; a hostile guest gets memory outside every cap that way. Here a call has one heap with a
 * cap, an address is an offset into it, and every check comes before the memory it guards.
 */

export type HostFunctions = NonNullable<ExtismPluginOptions["functions"]>;

export interface HostLimits {
  readonly outputBytes: number;
  /** All blocks that the guest allocates in one call, together. */
  readonly heapBytes: number;
  readonly blocks: number;
  readonly logLines: number;
  readonly logBytes: number;
}

export const DEFAULT_HOST_LIMITS: HostLimits = {
  outputBytes: 65_536,
  heapBytes: 4 * 1_048_576,
  blocks: 4_096,
  logLines: 64,
  logBytes: 16_384,
};

/** Thrown into the guest. It cannot be recovered from there: the call has failed whatever the guest does next. */
class Violation extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

// Address 0 means "no block" in this ABI, so the heap starts behind it.
const HEAP_START = 8;
const MAX_ERROR_BYTES = 4_096;

/** A place on the heap. What it holds is read when the call is over: a call of the host costs the guest a flat price. */
interface Span {
  readonly start: number;
  readonly size: number;
}

/** State of the call that runs now. A worker runs one call at a time, so one host serves all of its guests. */
export class GuestHost {
  #input: Uint8Array = new Uint8Array(0);
  #inputView: DataView = new DataView(this.#input.buffer);
  #config: Readonly<Record<string, string>> = {};
  #limits: HostLimits = DEFAULT_HOST_LIMITS;

  #heap = new Uint8Array(65_536);
  #view = new DataView(this.#heap.buffer);
  #top = HEAP_START;
  #blocks = new Map<number, number>();
  #blocksMade = 0;
  #inputBlock = 0;

  #output: Span | undefined;
  #error: Span | undefined;
  #log: string[] = [];
  #logBytes = 0;
  #linesNotKept = 0;
  #violation: Failure | undefined;

  /** The import object's functions. Extism passes its own context first; nothing of it is used. */
  readonly functions: HostFunctions;

  constructor() {
    this.functions = { [HOST_NAMESPACE]: this.#table() };
  }

  /** Forgets the call before and sets up the next. `input` must be a private copy. */
  begin(input: Uint8Array, config: Readonly<Record<string, string>>, limits: HostLimits): void {
    // What an earlier event left in the heap must not be readable through an address that nobody allocated.
    this.#heap.fill(0, 0, this.#top);
    this.#top = HEAP_START;
    this.#blocks.clear();
    this.#blocksMade = 0;
    this.#inputBlock = 0;
    this.#output = undefined;
    this.#error = undefined;
    this.#log = [];
    this.#logBytes = 0;
    this.#linesNotKept = 0;
    this.#violation = undefined;
    this.#input = input;
    this.#inputView = new DataView(input.buffer, input.byteOffset, input.byteLength);
    this.#config = config;
    this.#limits = limits;
  }

  get output(): Uint8Array | undefined {
    return this.#output === undefined ? undefined : this.#bytes(this.#output).slice();
  }

  /** Text that the guest gave as the reason of its failure. */
  get error(): string | undefined {
    return this.#error === undefined ? undefined : new TextDecoder().decode(this.#bytes(this.#error));
  }

  get log(): readonly string[] {
    const more = this.#linesNotKept;
    return more === 0 ? this.#log : [...this.#log, `${more} more ${more === 1 ? "line was" : "lines were"} not kept`];
  }

  /** Set once, by the first thing that the guest did and may not do. */
  get violation(): Failure | undefined {
    return this.#violation;
  }

  #refuse(failure: Failure): never {
    this.#violation ??= failure;
    throw new Violation(failure);
  }

  #badAddress(what: string, address: bigint): never {
    return this.#refuse({
      kind: "trap",
      message: `guest ABI: ${what} at address ${address} is outside of every block`,
    });
  }

  /** An address whose `size` bytes are all within what was allocated. */
  #address(address: bigint, size: number, what: string): number {
    const offset = Number(address);
    if (offset < HEAP_START || offset + size > this.#top) return this.#badAddress(what, address);
    return offset;
  }

  #inputAddress(address: bigint, size: number): number {
    const offset = Number(address);
    if (offset < 0 || offset + size > this.#input.byteLength) return this.#badAddress("reading the input", address);
    return offset;
  }

  #span(handle: bigint, what: string): Span {
    const start = Number(handle);
    const size = this.#blocks.get(start);
    return size === undefined ? this.#badAddress(what, handle) : { start, size };
  }

  #bytes({ start, size }: Span): Uint8Array {
    return this.#heap.subarray(start, start + size);
  }

  #block(handle: bigint, what: string): Uint8Array {
    return this.#bytes(this.#span(handle, what));
  }

  #allocate(size: number): number {
    const { heapBytes, blocks } = this.#limits;
    if (this.#blocksMade >= blocks) {
      return this.#refuse({
        kind: "memory",
        message: `guest ABI: more than ${blocks} blocks in one call`,
        limit: blocks,
        value: this.#blocksMade + 1,
      });
    }
    // Rounded up so that the 8-byte loads and stores of the PDKs stay within their block's own space.
    // An empty block takes room too, or the next one would have its address.
    const space = Math.max(1, Math.ceil(size / 8)) * 8;
    if (this.#top - HEAP_START + space > heapBytes) {
      return this.#refuse({
        kind: "memory",
        message: `guest ABI: blocks of more than ${heapBytes} bytes in one call`,
        limit: heapBytes,
        value: this.#top + size,
      });
    }
    const start = this.#top;
    this.#reserve(start + space);
    this.#top = start + space;
    this.#blocksMade += 1;
    this.#blocks.set(start, size);
    return start;
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

  #store(bytes: Uint8Array): bigint {
    const start = this.#allocate(bytes.byteLength);
    this.#heap.set(bytes, start);
    return BigInt(start);
  }

  #size(length: bigint): number {
    // Wasm's i64 arrives signed. Nobody asks for that much on purpose.
    if (length < 0n || length > 0xffff_ffffn) {
      return this.#refuse({
        kind: "memory",
        message: `guest ABI: asked for a block of ${length} bytes`,
        limit: this.#limits.heapBytes,
      });
    }
    return Number(length);
  }

  #setOutput(handle: bigint, length: bigint): void {
    const { outputBytes } = this.#limits;
    const span = this.#span(handle, "output_set");
    if (BigInt(span.size) !== length) {
      this.#refuse({
        kind: "invalid-output",
        message: `guest ABI: output of ${length} bytes in a block of ${span.size}`,
      });
    }
    if (span.size > outputBytes) {
      this.#refuse({
        kind: "output-too-large",
        message: `output of ${span.size} bytes; the limit is ${outputBytes}`,
        limit: outputBytes,
        value: span.size,
      });
    }
    this.#output = span;
  }

  #note(level: string, handle: bigint): void {
    const { logLines, logBytes } = this.#limits;
    const block = this.#block(handle, `log_${level}`);
    if (this.#log.length >= logLines || this.#logBytes >= logBytes) {
      this.#linesNotKept += 1;
      return;
    }
    const text = new TextDecoder().decode(block.subarray(0, logBytes - this.#logBytes));
    this.#logBytes += block.byteLength;
    this.#log.push(`${level}: ${text}`);
  }

  #table(): Record<HostFunctionName, HostFunctions[string][string]> {
    const refused = (capability: string, name: string) => (): never =>
      this.#refuse({ kind: "capability", message: `${name} needs a grant of "${capability}"` });
    const note = (level: string) => (_: unknown, handle: bigint) => this.#note(level, handle);
    return {
      input_length: () => BigInt(this.#input.byteLength),
      input_offset: () => {
        if (this.#inputBlock === 0) this.#inputBlock = Number(this.#store(this.#input));
        return BigInt(this.#inputBlock);
      },
      input_load_u8: (_: unknown, offset: bigint) => this.#inputView.getUint8(this.#inputAddress(offset, 1)),
      input_load_u64: (_: unknown, offset: bigint) => this.#inputView.getBigUint64(this.#inputAddress(offset, 8), true),
      alloc: (_: unknown, length: bigint) => BigInt(this.#allocate(this.#size(length))),
      free: (_: unknown, handle: bigint) => void this.#blocks.delete(Number(handle)),
      length: (_: unknown, handle: bigint) => (handle === 0n ? 0n : BigInt(this.#block(handle, "length").byteLength)),
      length_unsafe: (_: unknown, handle: bigint) => BigInt(this.#blocks.get(Number(handle)) ?? 0),
      load_u8: (_: unknown, address: bigint) => this.#view.getUint8(this.#address(address, 1, "load_u8")),
      load_u64: (_: unknown, address: bigint) => this.#view.getBigUint64(this.#address(address, 8, "load_u64"), true),
      store_u8: (_: unknown, address: bigint, value: number) =>
        this.#view.setUint8(this.#address(address, 1, "store_u8"), value),
      store_u64: (_: unknown, address: bigint, value: bigint) =>
        this.#view.setBigUint64(this.#address(address, 8, "store_u64"), BigInt.asUintN(64, value), true),
      output_set: (_: unknown, handle: bigint, length: bigint) => this.#setOutput(handle, length),
      error_set: (_: unknown, handle: bigint) => {
        if (handle === 0n) {
          this.#error = undefined;
          return;
        }
        const { start, size } = this.#span(handle, "error_set");
        this.#error = { start, size: Math.min(size, MAX_ERROR_BYTES) };
      },
      error_get: () => 0n,
      config_get: (_: unknown, key: bigint) => {
        const name = new TextDecoder().decode(this.#block(key, "config_get"));
        this.#blocks.delete(Number(key));
        const value = Object.hasOwn(this.#config, name) ? this.#config[name] : undefined;
        return value === undefined ? 0n : this.#store(new TextEncoder().encode(value));
      },
      get_log_level: () => 0,
      log_trace: note("trace"),
      log_debug: note("debug"),
      log_info: note("info"),
      log_warn: note("warn"),
      log_error: note("error"),
      var_get: refused("state", "var_get"),
      var_set: refused("state", "var_set"),
      http_request: refused("hosts", "http_request"),
      http_status_code: refused("hosts", "http_status_code"),
      http_headers: refused("hosts", "http_headers"),
    };
  }
}
