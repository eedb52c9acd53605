import { expect } from "vitest";
import { HOST_NAMESPACE, type HostFunctionName } from "../../../src/executors/wasm/guest/guest-abi.ts";
import { DEFAULT_HOST_LIMITS, GuestHost, type HostLimits } from "../../../src/executors/wasm/guest/host.ts";
import type { Failure } from "../../../src/outcome.ts";

/** A host with the functions that a guest would import, called as Extism calls them: with a context first. */
export class DrivenHost {
  readonly host = new GuestHost();

  constructor(
    parts: { input?: string | Uint8Array; config?: Record<string, string>; limits?: Partial<HostLimits> } = {},
  ) {
    this.begin(parts);
  }

  begin({
    input = "",
    config = {},
    limits = {},
  }: {
    input?: string | Uint8Array;
    config?: Record<string, string>;
    limits?: Partial<HostLimits>;
  } = {}): void {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    this.host.begin(bytes, config, { ...DEFAULT_HOST_LIMITS, ...limits });
  }

  call(name: HostFunctionName, ...values: (number | bigint)[]): unknown {
    const found = this.host.functions[HOST_NAMESPACE]?.[name];
    if (typeof found !== "function") throw new Error(`no host function ${name}`);
    return (found as (context: unknown, ...values: (number | bigint)[]) => unknown)(undefined, ...values);
  }

  alloc(size: number | bigint): bigint {
    return this.call("alloc", BigInt(size)) as bigint;
  }

  /** A block with these bytes. */
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

  /** What the host refused; the call has to throw into the guest too. */
  refusal(run: (driven: this) => unknown): Failure {
    expect(() => run(this)).toThrow();
    const { violation } = this.host;
    if (violation === undefined) throw new Error("the host threw and did not remember why");
    return violation;
  }
}
