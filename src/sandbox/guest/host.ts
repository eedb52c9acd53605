import type { Failure } from "../../outcome.ts";
import { COST } from "../admission/cost-model.ts";
import type { CallContext, CapabilityHost, HostCall, ServedGuest } from "./capabilities/capability.ts";
import { ClockHost } from "./capabilities/clock.ts";
import { FilesHost } from "./capabilities/files.ts";
import { HttpHost } from "./capabilities/http.ts";
import { RandomHost } from "./capabilities/random.ts";
import { StateHost } from "./capabilities/state.ts";
import {
  ABSENT_NAMESPACE,
  COMMAND,
  HOST_FUNCTIONS,
  HOST_NAMESPACE,
  type HostFunctionName,
  hostFunction,
  LINKED_WASI_NAMESPACE,
  OWN_FUNCTIONS,
  OWN_NAMESPACE,
} from "./guest-abi.ts";
import { GuestBlocks, type Span } from "./guest-blocks.ts";
import { GuestLog } from "./guest-log.ts";
import type { HostFunctions } from "./host-functions.ts";
import type { Effects, GuestSetup, HostLimits } from "./protocol.ts";
import type { WasiCapability, WasiMaker } from "./wasi/wasi-capability.ts";

/**
 * The host side of the guest ABI: input, output and log of one call, and its granted capabilities. Runs in the guest's
 * thread.
 *
 * Extism's own implementation allocates a buffer for each block before it checks any limit, wraps handles after 32,767
 * blocks, and ignores lengths. A hostile guest could use that to get memory above every limit. Here, a call has one
 * heap of limited size, an address is an offset into that heap, and every check precedes the memory access.
 */

export const DEFAULT_HOST_LIMITS: HostLimits = {
  outputBytes: 65_536,
  heapBytes: 4 * 1_048_576,
  blocks: 4_096,
  logLines: 64,
  logBytes: 16_384,
};

const MAX_ERROR_BYTES = 4_096;

/** State of the current call. A worker runs one call at a time, so one host serves all of its guests. */
export class GuestHost {
  readonly #blocks = new GuestBlocks();
  readonly #state = new StateHost(this.#blocks);
  readonly #files = new FilesHost(this.#blocks);
  readonly #http = new HttpHost(this.#blocks);
  readonly #clock = new ClockHost(this.#blocks);
  readonly #random = new RandomHost(this.#blocks);
  readonly #log = new GuestLog();
  readonly #wasi: WasiCapability | undefined;
  #input: Uint8Array = new Uint8Array(0);
  #inputView: DataView = new DataView(this.#input.buffer);
  #config: Readonly<Record<string, string>> = {};
  #limits: HostLimits = DEFAULT_HOST_LIMITS;
  #inputBlock = 0;
  #guest: ServedGuest | undefined;
  #output: Span | undefined;
  #error: Span | undefined;
  #isCommand = false;

  /** The functions of the import object. Extism passes its context as the first argument, which is not used. */
  readonly functions: HostFunctions;

  /** `makeWasi` provides WASI. Unset where guests cannot have WASI. */
  constructor(makeWasi?: WasiMaker) {
    this.#wasi = makeWasi?.(this.#blocks, this.#log, {
      files: () => this.#files.granted,
      clock: this.#clock,
      random: this.#random,
    });
    const granted = this.#capabilities().map(({ functions }) => functions);
    const all: Readonly<Record<string, HostCall>> = Object.assign({}, this.#table(), ...granted);
    const named = (names: readonly string[]): Record<string, HostCall> =>
      Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
    const absent = Object.keys({ ...HOST_FUNCTIONS, ...OWN_FUNCTIONS }).filter(
      (name) => hostFunction({ module: ABSENT_NAMESPACE, name }) !== undefined,
    );
    this.functions = {
      [HOST_NAMESPACE]: named(Object.keys(HOST_FUNCTIONS)),
      [OWN_NAMESPACE]: named([...Object.keys(OWN_FUNCTIONS), ...Object.keys(this.#http.functions)]),
      ...(this.#wasi === undefined ? {} : { [LINKED_WASI_NAMESPACE]: this.#wasi.functions }),
      [ABSENT_NAMESPACE]: Object.fromEntries(absent.map((name) => [name, this.#notAskedFor(name)])),
    } as unknown as HostFunctions;
  }

  get hasWasi(): boolean {
    return this.#wasi !== undefined;
  }

  #capabilities(): readonly CapabilityHost[] {
    return [this.#state, this.#files, this.#http, this.#clock, this.#random];
  }

  /** Loads the code that calls of a rule with granted hosts need. `undefined`: the code is loaded or not needed. */
  load({ grants }: GuestSetup): Promise<void> | undefined {
    return grants?.hosts === undefined || this.#http.isLoaded ? undefined : this.#http.load();
  }

  #notAskedFor(name: string): HostCall {
    const message = `called ${name}, but its manifest does not want that capability`;
    return () => this.#blocks.refuse({ kind: "capability", message });
  }

  /** Resets the state for the next call. The input must be a private copy. */
  begin(context: CallContext): void {
    const { input, setup } = context;
    this.#blocks.begin(setup.limits);
    this.#inputBlock = 0;
    this.#guest = undefined;
    this.#output = undefined;
    this.#error = undefined;
    this.#log.begin(setup.limits);
    this.#isCommand = setup.function === COMMAND;
    this.#input = input;
    this.#inputView = new DataView(input.buffer, input.byteOffset, input.byteLength);
    this.#config = setup.config;
    this.#limits = setup.limits;
    for (const capability of this.#capabilities()) capability.begin(context);
    this.#wasi?.begin(context);
  }

  /** Sets the guest, whose memory host functions get pointers to. Must be called before the guest runs. */
  attach(guest: ServedGuest): void {
    this.#guest = guest;
    this.#wasi?.attach(guest);
  }

  get output(): Uint8Array | undefined {
    if (this.#isCommand) return this.#wasi?.answer;
    return this.#output === undefined ? undefined : this.#blocks.bytes(this.#output).slice();
  }

  /** The guest's own text about its failure. */
  get error(): string | undefined {
    return this.#error === undefined ? undefined : new TextDecoder().decode(this.#blocks.bytes(this.#error));
  }

  get log(): readonly string[] {
    this.#wasi?.flush();
    return this.#log.lines;
  }

  /** The guest's first failure in this call. */
  get failure(): Failure | undefined {
    return this.#blocks.failure;
  }

  /** Changes to state and files that take effect after the guest has answered. `undefined` if there are none. */
  get effects(): Effects | undefined {
    const state = this.#state.changes;
    const files = this.#files.writes;
    if (state === undefined && files === undefined) return undefined;
    return { ...(state === undefined ? {} : { state }), ...(files === undefined ? {} : { files }) };
  }

  #refuse(failure: Failure): never {
    return this.#blocks.refuse(failure);
  }

  #inputAddress(address: bigint, size: number): number {
    const offset = Number(address);
    if (offset < 0 || offset + size > this.#input.byteLength) {
      return this.#blocks.badAddress("reading the input", address);
    }
    return offset;
  }

  /** Copies the input in one call, because a host call takes longer than copying a hundred bytes. */
  #readInput(address: bigint): void {
    const start = Number(address);
    const { memory } = this.#guest ?? {};
    if (memory === undefined || start < 0 || start + this.#input.byteLength > memory.buffer.byteLength) {
      const message = `guest ABI: input_read to address ${address} is outside of the guest's memory`;
      this.#refuse({ kind: "trap", message });
    }
    // Copying is paid for, because a guest could otherwise copy megabytes at the price of a host call.
    if (this.#guest?.charge(this.#input.byteLength >> COST.byteShift) !== true)
      throw new WebAssembly.RuntimeError("no fuel is left for the input");
    new Uint8Array(memory.buffer, start).set(this.#input);
    this.#guest.touch(start, this.#input.byteLength);
  }

  #setOutput(handle: bigint, length: bigint): void {
    const { outputBytes } = this.#limits;
    if (this.#isCommand) {
      this.#refuse({
        kind: "invalid-output",
        message: "called output_set; a WASI command must print its answer instead",
      });
    }
    const span = this.#blocks.span(handle, "output_set");
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

  #table(): Readonly<Record<HostFunctionName | "input_read", HostCall>> {
    const blocks = this.#blocks;
    const note = (level: string) => (_: unknown, handle: bigint) =>
      this.#log.note(level, blocks.block(handle, `log_${level}`));
    return {
      input_length: () => BigInt(this.#input.byteLength),
      input_offset: () => {
        if (this.#inputBlock === 0) this.#inputBlock = Number(blocks.store(this.#input));
        return BigInt(this.#inputBlock);
      },
      input_load_u8: (_: unknown, offset: bigint) => this.#inputView.getUint8(this.#inputAddress(offset, 1)),
      input_load_u64: (_: unknown, offset: bigint) => this.#inputView.getBigUint64(this.#inputAddress(offset, 8), true),
      input_read: (_: unknown, address: bigint) => this.#readInput(address),
      alloc: (_: unknown, length: bigint) => BigInt(blocks.allocate(blocks.size(length))),
      free: (_: unknown, handle: bigint) => blocks.free(handle),
      length: (_: unknown, handle: bigint) => (handle === 0n ? 0n : BigInt(blocks.block(handle, "length").byteLength)),
      length_unsafe: (_: unknown, handle: bigint) => BigInt(blocks.sizeOf(handle)),
      load_u8: (_: unknown, address: bigint) => blocks.view.getUint8(blocks.address(address, 1, "load_u8")),
      load_u64: (_: unknown, address: bigint) => blocks.view.getBigUint64(blocks.address(address, 8, "load_u64"), true),
      store_u8: (_: unknown, address: bigint, value: number) =>
        blocks.view.setUint8(blocks.address(address, 1, "store_u8"), value),
      store_u64: (_: unknown, address: bigint, value: bigint) =>
        blocks.view.setBigUint64(blocks.address(address, 8, "store_u64"), BigInt.asUintN(64, value), true),
      output_set: (_: unknown, handle: bigint, length: bigint) => this.#setOutput(handle, length),
      error_set: (_: unknown, handle: bigint) => {
        if (handle === 0n) {
          this.#error = undefined;
          return;
        }
        const { start, size } = blocks.span(handle, "error_set");
        this.#error = { start, size: Math.min(size, MAX_ERROR_BYTES) };
      },
      error_get: () => 0n,
      config_get: (_: unknown, key: bigint) => {
        const name = new TextDecoder().decode(blocks.block(key, "config_get"));
        blocks.free(key);
        const value = Object.hasOwn(this.#config, name) ? this.#config[name] : undefined;
        return value === undefined ? 0n : blocks.store(new TextEncoder().encode(value));
      },
      get_log_level: () => 0,
      log_trace: note("trace"),
      log_debug: note("debug"),
      log_info: note("info"),
      log_warn: note("warn"),
      log_error: note("error"),
      ...this.#state.functions,
      ...this.#http.functions,
    };
  }
}
