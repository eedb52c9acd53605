import { expect } from "vitest";
import type { Grants } from "../../src/grants.ts";
import type { Failure } from "../../src/outcome.ts";
import type { AskEngine, CallFiles } from "../../src/sandbox/guest/capabilities/capability.ts";
import {
  HOST_NAMESPACE,
  type HostFunctionName,
  OWN_NAMESPACE,
  type OwnFunctionName,
} from "../../src/sandbox/guest/guest-abi.ts";
import { DEFAULT_HOST_LIMITS, GuestHost } from "../../src/sandbox/guest/host.ts";
import type { GuestModule, GuestSetup, GuestTask, HostLimits } from "../../src/sandbox/guest/protocol.ts";

export interface HostParts {
  readonly input?: string | Uint8Array;
  readonly config?: Record<string, string>;
  readonly limits?: Partial<HostLimits>;
  readonly grants?: Grants;
  readonly task?: Partial<GuestTask>;
  readonly ask?: AskEngine;
  readonly files?: CallFiles;
}

/** A host with the functions that a guest would import, called as Extism calls them: with a context first. */
export class DrivenHost {
  readonly host = new GuestHost();

  constructor(parts: HostParts = {}) {
    this.begin(parts);
  }

  /** Prepares what calls with these grants need. */
  async prepare({ grants }: Required<Pick<HostParts, "grants">>): Promise<void> {
    await this.host.load({ grants } as GuestSetup);
  }

  begin({ input = "", config = {}, limits = {}, grants, task = {}, ask, files }: HostParts = {}): void {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const module = {
      state: { memory: undefined, fuel: "", depth: "", globals: [] },
      codeBytes: 0,
    } as unknown as GuestModule;
    const setup = {
      moduleKey: "",
      module,
      function: "handle",
      config,
      limits: { ...DEFAULT_HOST_LIMITS, ...limits },
      depth: 0,
      memoryBytes: 0,
      ...(grants === undefined ? {} : { grants }),
    };
    this.host.begin({ setup, task: { setupKey: 0, setup, input: bytes, fuel: 0, ...task }, input: bytes, ask, files });
  }

  /** Gives the host a memory of one page as the guest's, with fuel for host functions. */
  attachMemory(fuel: number): Uint8Array {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 });
    let left = fuel;
    this.host.attach({
      memory,
      charge: (cost) => {
        left -= cost;
        return left >= 0;
      },
      touch: () => {},
    });
    return new Uint8Array(memory.buffer);
  }

  call(name: HostFunctionName | OwnFunctionName, ...values: (number | bigint)[]): unknown {
    const { [HOST_NAMESPACE]: extism = {}, [OWN_NAMESPACE]: own = {} } = this.host.functions;
    const found = extism[name] ?? own[name];
    if (typeof found !== "function") throw new Error(`no host function ${name}`);
    return (found as (context: unknown, ...values: (number | bigint)[]) => unknown)(undefined, ...values);
  }

  alloc(size: number | bigint): bigint {
    return this.call("alloc", BigInt(size)) as bigint;
  }

  /** Returns a block with these bytes. */
  store(value: string | Uint8Array): bigint {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
    const block = this.alloc(bytes.byteLength);
    for (const [index, byte] of bytes.entries()) this.call("store_u8", block + BigInt(index), byte);
    return block;
  }

  load(address: bigint, size: number): number[] {
    return Array.from({ length: size }, (_, index) => this.call("load_u8", address + BigInt(index)) as number);
  }

  text(block: bigint): string {
    return new TextDecoder().decode(Uint8Array.from(this.load(block, Number(this.call("length", block)))));
  }

  setOutput(value: string | Uint8Array): void {
    const block = this.store(value);
    this.call("output_set", block, this.call("length", block) as bigint);
  }

  get output(): string | undefined {
    return this.host.output === undefined ? undefined : new TextDecoder().decode(this.host.output);
  }

  /** Returns the host's refusal; the call must also throw into the guest. */
  refusal(run: (driven: this) => unknown): Failure {
    expect(() => run(this)).toThrow();
    const { failure } = this.host;
    if (failure === undefined) throw new Error("the host threw and did not remember why");
    return failure;
  }
}
