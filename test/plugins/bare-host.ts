// The guest ABI v1 in its plainest form: every call gets a fresh instance, every misuse of the host traps. A guard can
// rely on exactly this, and the shipped host is compared with it.

export type Config = Readonly<Record<string, unknown>>;

export interface Answer {
  /** What `handle` returned; 0 is success. */
  readonly code: number;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly logs: readonly string[];
  /** Pages of 64 KiB that the guest's memory had at the end. */
  readonly pages: number;
}

type HostFunction = (...args: never[]) => unknown;

/** A block's handle; addresses inside are handle + offset, so blocks are far apart. */
const BLOCK_STEP = 1n << 32n;
const MAX_BLOCK_BYTES = 1n << 24n;

class Blocks {
  readonly #blocks = new Map<bigint, DataView>();
  #next = BLOCK_STEP;

  alloc(length: bigint): bigint {
    if (length < 0n || length > MAX_BLOCK_BYTES) return 0n;
    const handle = this.#next;
    this.#next += BLOCK_STEP;
    this.#blocks.set(handle, new DataView(new ArrayBuffer(Number(length))));
    return handle;
  }

  put(bytes: Uint8Array): bigint {
    const handle = this.alloc(BigInt(bytes.length));
    new Uint8Array(this.view(handle).buffer).set(bytes);
    return handle;
  }

  view(handle: bigint): DataView {
    const block = this.#blocks.get(handle);
    if (!block) throw new RangeError(`no block at ${handle}`);
    return block;
  }

  /** The block around an address; DataView itself rejects addresses outside of it. */
  at(address: bigint): { block: DataView; offset: number } {
    const handle = address - (address % BLOCK_STEP);
    return { block: this.view(handle), offset: Number(address - handle) };
  }

  text(handle: bigint): string {
    return new TextDecoder("utf-8", { fatal: true }).decode(this.view(handle));
  }

  free(handle: bigint): void {
    this.view(handle);
    this.#blocks.delete(handle);
  }
}

/** All names of `extism:host/env` that a guard may import without a grant. */
export function hostFunctions(
  input: Uint8Array,
  config: Config,
  answer: { output?: string; error?: string; logs: string[] },
  blocks = new Blocks(),
) {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const log = (level: string) => (handle: bigint) => {
    answer.logs.push(`${level}: ${blocks.text(handle)}`);
    blocks.free(handle);
  };
  return {
    input_length: () => BigInt(input.length),
    input_load_u8: (offset: bigint) => view.getUint8(Number(offset)),
    input_load_u64: (offset: bigint) => view.getBigUint64(Number(offset), true),
    alloc: (length: bigint) => blocks.alloc(length),
    length: (handle: bigint) => BigInt(blocks.view(handle).byteLength),
    load_u8: (address: bigint) => {
      const { block, offset } = blocks.at(address);
      return block.getUint8(offset);
    },
    load_u64: (address: bigint) => {
      const { block, offset } = blocks.at(address);
      return block.getBigUint64(offset, true);
    },
    store_u8: (address: bigint, value: number) => {
      const { block, offset } = blocks.at(address);
      block.setUint8(offset, value);
    },
    store_u64: (address: bigint, value: bigint) => {
      const { block, offset } = blocks.at(address);
      block.setBigUint64(offset, value, true);
    },
    free: (handle: bigint) => blocks.free(handle),
    output_set: (handle: bigint, length: bigint) => {
      if (length !== BigInt(blocks.view(handle).byteLength)) throw new RangeError("output is not the whole block");
      answer.output = blocks.text(handle);
    },
    error_set: (handle: bigint) => {
      answer.error = blocks.text(handle);
    },
    config_get: (key: bigint) => {
      const name = blocks.text(key);
      blocks.free(key);
      if (!Object.hasOwn(config, name)) return 0n;
      const value = config[name];
      return blocks.put(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)));
    },
    log_trace: log("trace"),
    log_debug: log("debug"),
    log_info: log("info"),
    log_warn: log("warn"),
    log_error: log("error"),
  } satisfies Record<string, HostFunction>;
}

/** A module's imports as an import object, each taken from `resolve`. */
export function importsOf(
  module: WebAssembly.Module,
  resolve: (name: string) => (...values: unknown[]) => unknown,
): WebAssembly.Imports {
  const imports: Record<string, WebAssembly.ModuleImports> = {};
  for (const { module: namespace, name } of WebAssembly.Module.imports(module)) {
    imports[namespace] ??= {};
    imports[namespace][name] = namespace === ABSENT ? notAskedFor(name) : resolve(name);
  }
  return imports;
}

/** Imports of a guard's engine that the guard did not ask for. */
const ABSENT = "hookbox:host/absent";

const notAskedFor = (name: string) => (): never => {
  throw new Error(`${name} was not asked for`);
};

/** Functions in addition to those that need no grant. */
export type MoreFunctions = (blocks: Blocks) => Readonly<Record<string, Readonly<Record<string, HostFunction>>>>;

/** Runs one call in a new instance. Rethrows the guest's trap. */
export function callGuard(
  module: WebAssembly.Module,
  input: string | Uint8Array,
  config: Config = {},
  more: MoreFunctions = () => ({}),
): Answer {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  const answer: { output?: string; error?: string; logs: string[] } = { logs: [] };
  const blocks = new Blocks();
  const { "extism:host/env": granted = {}, ...others } = more(blocks);
  const { [ABSENT]: absent = {} } = importsOf(module, notAskedFor);
  const instance: WebAssembly.Instance = new WebAssembly.Instance(module, {
    [ABSENT]: absent,
    "extism:host/env": { ...hostFunctions(bytes, config, answer, blocks), ...granted },
    ...others,
    "hookbox:host/env": {
      ...others["hookbox:host/env"],
      input_read: (address: bigint) => {
        new Uint8Array((instance.exports["memory"] as WebAssembly.Memory).buffer).set(bytes, Number(address));
      },
    },
  });
  const { handle, memory } = instance.exports;
  const code = (handle as () => number)();
  const pages = (memory as WebAssembly.Memory).buffer.byteLength / 65536;
  return { code, output: answer.output, error: answer.error, logs: answer.logs, pages };
}
