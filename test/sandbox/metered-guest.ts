import { GuestInstance } from "../../src/sandbox/guest/guest-instance.ts";
import { HANDLE, wat } from "../helpers/guests.ts";
import { admitted } from "./module-requirements.ts";

interface Run {
  /** What the function returned, or the message of its trap. */
  readonly result: unknown;
  readonly trapped: boolean;
  readonly fuel: number;
  readonly ended: "itself" | "fuel" | "depth";
}

interface Budget {
  readonly fuel?: number;
  readonly depth?: number;
}

/** A function of an admitted module, run with an amount of fuel. */
export class MeteredGuest {
  readonly instance: GuestInstance;

  private constructor(instance: GuestInstance) {
    this.instance = instance;
  }

  static async of(
    module: Uint8Array<ArrayBuffer>,
    host: Record<string, (...values: never[]) => unknown> = {},
  ): Promise<MeteredGuest> {
    const { module: made } = await admitted(module);
    const instance = await WebAssembly.instantiate(made.compiled, { "extism:host/env": host });
    return new MeteredGuest(new GuestInstance(instance, made.state));
  }

  /** Less depth than a rule's default: threads of guards have a larger stack than the thread of the tests. */
  run(name: string, values: readonly (number | bigint)[] = [], { fuel = 1e12, depth = 65_536 }: Budget = {}): Run {
    this.instance.fill(fuel, depth);
    let result: unknown;
    let trapped = false;
    try {
      result = (this.instance.exports[name] as (...values: readonly (number | bigint)[]) => unknown)(...values);
    } catch (error) {
      trapped = true;
      result = error instanceof Error ? error.message : error;
    }
    const ended = this.instance.isOutOfFuel ? "fuel" : this.instance.isTooDeep ? "depth" : "itself";
    return { result, trapped, fuel: this.instance.fuelUsed, ended };
  }
}

/** Returns a module with these fields, a function `run` with this body, and a `handle` that does nothing. */
export const running = (body: string, fields = "", type = "(result i32)"): Uint8Array<ArrayBuffer> =>
  wat(`(module ${fields} (func $run (export "run") ${type} ${body}) ${HANDLE})`);

/** Returns the same for the author's module, without any counter. */
export async function runUnmetered(
  module: Uint8Array<ArrayBuffer>,
  name: string,
  values: readonly (number | bigint)[] = [],
): Promise<unknown> {
  const { instance } = await WebAssembly.instantiate(module, {});
  return (instance.exports[name] as (...values: readonly (number | bigint)[]) => unknown)(...values);
}
