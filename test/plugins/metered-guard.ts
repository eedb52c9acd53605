import { readFileSync } from "node:fs";
import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import { usualLimits } from "../../src/dialects/shipped-guards.ts";
import { GuestInstance } from "../../src/sandbox/guest/guest-instance.ts";
import { admitted } from "../sandbox/module-requirements.ts";
import { type Answer, type Config, hostFunctions, importsOf } from "./bare-host.ts";
import { withActions } from "./with-actions.ts";

/** The most fuel of a call, whatever its rule says. */
const MAX_FUEL = 2_000_000_000;

interface MeteredAnswer extends Answer {
  readonly fuel: number;
}

type MeteredGuard = (input: string | Uint8Array, config?: Config) => MeteredAnswer;

export function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(new URL(`../../dist/guards/${name}.wasm`, import.meta.url)));
}

/**
 * A shipped guard, admitted and with the fuel that a rule gives by default, on the plainest possible host. One instance
 * serves all calls and is restored between them, as in an engine. Rethrows the guest's trap. `fuelOfCall` replaces the
 * default fuel.
 */
export async function meteredGuard(name: string, fuelOfCall?: number): Promise<MeteredGuard> {
  const { module } = await admitted(bytesOf(name));
  const { fuel: least, fuelPerInputByte, depth } = usualLimits(`builtin:${name}`, BUILTIN_DEFAULTS);
  let current: Record<string, unknown> = {};
  const forward =
    (of: string) =>
    (...args: unknown[]): unknown =>
      (current[of] as (...args: unknown[]) => unknown)(...args);
  const imports = importsOf(module.compiled, forward);
  const make = (): GuestInstance => new GuestInstance(new WebAssembly.Instance(module.compiled, imports), module.state);
  let guest: GuestInstance | undefined;
  return (input, config = {}) => {
    const bytes = typeof input === "string" ? new TextEncoder().encode(withActions(input)) : input;
    const answer: { output?: string; error?: string; logs: string[] } = { logs: [] };
    const used = guest ?? make();
    const readInput = (address: bigint): void => {
      if (!used.charge(bytes.length >> 3)) throw new WebAssembly.RuntimeError("no fuel is left for the input");
      new Uint8Array(used.memory?.buffer ?? new ArrayBuffer(0)).set(bytes, Number(address));
      used.touch(Number(address), bytes.length);
    };
    current = { ...hostFunctions(bytes, config, answer), input_read: readInput };
    // What is not restored at the end of this is never used again.
    guest = undefined;
    used.fill(fuelOfCall ?? Math.min(least + fuelPerInputByte * bytes.length, MAX_FUEL), depth);
    const code = (used.exports["handle"] as () => number)();
    const pages = (used.memory?.buffer.byteLength ?? 0) / 65_536;
    const fuel = used.fuelUsed;
    if (used.restore()) guest = used;
    return { code, output: answer.output, error: answer.error, logs: answer.logs, pages, fuel };
  };
}
