import type { Grants } from "../../src/grants.ts";
import type { Failure } from "../../src/outcome.ts";
import { GrantedFiles } from "../../src/sandbox/guest/capabilities/granted-files.ts";
import { LINKED_WASI_NAMESPACE } from "../../src/sandbox/guest/guest-abi.ts";
import { DEFAULT_HOST_LIMITS, GuestHost } from "../../src/sandbox/guest/host.ts";
import type { GuestModule, GuestTask, HostLimits } from "../../src/sandbox/guest/protocol.ts";
import { WASI_FUNCTIONS, type WasiFunctionName } from "../../src/sandbox/guest/wasi/wasi-abi.ts";
import { WasiHost } from "../../src/sandbox/guest/wasi/wasi-host.ts";
import { wat } from "../helpers/guests.ts";

interface WasiParts {
  readonly input?: string;
  readonly function?: string;
  readonly limits?: Partial<HostLimits>;
  readonly grants?: Grants;
  readonly task?: Partial<GuestTask>;
  /** `false`: a guest without memory. */
  readonly memory?: false;
}

/** WASI as a guest calls it, with a page of memory that the test reads and writes. */
export class DrivenWasi {
  readonly host = new GuestHost((...parts) => new WasiHost(...parts));
  readonly memory = new WebAssembly.Memory({ initial: 1, maximum: 4 });

  constructor(parts: WasiParts = {}) {
    this.begin(parts);
  }

  begin({
    input = "",
    function: name = "handle",
    limits,
    grants = { wasi: true },
    task,
    memory,
  }: WasiParts = {}): void {
    const bytes = new TextEncoder().encode(input);
    const setup = {
      moduleKey: "",
      module: {} as GuestModule,
      function: name,
      config: {},
      limits: { ...DEFAULT_HOST_LIMITS, ...limits },
      depth: 0,
      memoryBytes: 0,
      grants,
    };
    this.host.begin({
      setup,
      task: { setupKey: 0, setup, input: bytes, fuel: 0, ...task },
      input: bytes,
      ask: undefined,
      files: new GrantedFiles(),
    });
    if (memory !== false) this.host.attach({ memory: this.memory, charge: () => true, touch: () => {} });
  }

  /** Returns the number of the error. */
  call(name: WasiFunctionName, ...values: (number | bigint)[]): number {
    const { [LINKED_WASI_NAMESPACE]: functions = {} } = this.host.functions;
    return (functions[name] as (context: unknown, ...values: (number | bigint)[]) => number)(undefined, ...values);
  }

  get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  bytes(pointer: number, size: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, pointer, size);
  }

  text(pointer: number, size: number): string {
    return new TextDecoder().decode(this.bytes(pointer, size));
  }

  /** Writes a text into memory, and returns its length. */
  put(pointer: number, text: string): number {
    const bytes = new TextEncoder().encode(text);
    this.bytes(pointer, bytes.byteLength).set(bytes);
    return bytes.byteLength;
  }

  /** Writes a list of buffers at this address. */
  list(pointer: number, ...buffers: readonly (readonly [pointer: number, size: number])[]): number {
    for (const [index, [start, size]] of buffers.entries()) {
      this.view.setUint32(pointer + index * 8, start, true);
      this.view.setUint32(pointer + index * 8 + 4, size, true);
    }
    return buffers.length;
  }

  print(fd: number, text: string): number {
    const count = this.list(0, [1_024, this.put(1_024, text)]);
    return this.call("fd_write", fd, 0, count, 8);
  }

  read(fd: number, size: number): string {
    const errno = this.call("fd_read", fd, 0, this.list(0, [1_024, size]), 8);
    if (errno !== 0) throw new Error(`fd_read gave ${errno}`);
    return this.text(1_024, this.view.getUint32(8, true));
  }

  open(path: string, { flags = 0, rights = 2n }: { readonly flags?: number; readonly rights?: bigint } = {}): number {
    return this.call("path_open", 3, 0, 512, this.put(512, path), flags, rights, 0n, 0, 8);
  }

  time(id = 0): bigint {
    const errno = this.call("clock_time_get", id, 0n, 16);
    if (errno !== 0) throw new Error(`clock_time_get gave ${errno}`);
    return this.view.getBigUint64(16, true);
  }

  random(size: number): string {
    const errno = this.call("random_get", 1_024, size);
    if (errno !== 0) throw new Error(`random_get gave ${errno}`);
    return Buffer.from(this.bytes(1_024, size)).toString("hex");
  }

  refusal(run: (driven: this) => unknown): Failure {
    try {
      run(this);
    } catch {
      const { failure } = this.host;
      if (failure !== undefined) return failure;
    }
    throw new Error("nothing was refused");
  }
}

/** Returns a module with WASI's functions under their own names, which calls them as the body says. */
export function wasiGuest(
  names: readonly WasiFunctionName[],
  fields: string,
  { memory = 1 }: { readonly memory?: number } = {},
): Uint8Array<ArrayBuffer> {
  const imports = names.map((name) => {
    const { params, results } = WASI_FUNCTIONS[name];
    const type = `${params.length === 0 ? "" : `(param ${params.join(" ")})`} ${results.length === 0 ? "" : "(result i32)"}`;
    return `(import "wasi_snapshot_preview1" "${name}" (func $${name} ${type}))`;
  });
  return wat(`(module ${imports.join("\n")} (memory (export "memory") ${memory}) ${fields})`);
}

/** Returns a command that prints this, after running the body. */
export const commandPrinting = (
  text: string,
  { body = "", names = [], fields = "" }: { body?: string; names?: readonly WasiFunctionName[]; fields?: string } = {},
): Uint8Array<ArrayBuffer> => {
  const data = [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  return wasiGuest(
    [...new Set<WasiFunctionName>(["fd_write", ...names])],
    `(data (i32.const 1024) "${data}") ${fields}
     (func (export "_start")
       ${body}
       (i32.store (i32.const 0) (i32.const 1024))
       (i32.store (i32.const 4) (i32.const ${Buffer.byteLength(text)}))
       (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))`,
  );
};
