import { describeThrown } from "../../errors.ts";
import { type Failure, GUARD_REPORTED } from "../../outcome.ts";
import { COMMAND } from "./guest-abi.ts";
import type { GuestInstance } from "./guest-instance.ts";
import type { GuestSetup } from "./protocol.ts";
import { trapWords } from "./trap-words.ts";
import { GuestExit } from "./wasi/guest-exit.ts";

/** Failures of guest runs, with messages that are the same on every Node version. */

interface Budget {
  readonly fuel: number;
  readonly depth: number;
}

/** Returns the failure of a function that returned, or `undefined` for success. `error` is the guest's own text. */
export function failureOfCode(code: number, name: string, error: string | undefined): Failure | undefined {
  if (error !== undefined) return { kind: "exit", message: `${GUARD_REPORTED}${error}`, value: code };
  if (code === 0) return undefined;
  const message = name === COMMAND ? `ended itself with proc_exit(${code})` : `${name} returned ${code} instead of 0`;
  return { kind: "exit", message, limit: 0, value: code };
}

/** Returns a failure at the memory limit, because the guest may have continued without the memory. */
export function failureOfGrowth(
  startBytes: number,
  { memory }: GuestInstance,
  { memoryBytes }: GuestSetup,
): Failure | undefined {
  const endBytes = memory?.buffer.byteLength ?? 0;
  if (endBytes <= startBytes || endBytes < memoryBytes) return undefined;
  return {
    kind: "memory",
    message: `grew its memory to the limit of ${memoryBytes} bytes`,
    limit: memoryBytes,
    value: endBytes,
  };
}

/** Returns the failure of a function that threw or trapped. `error` is the guest's own text. */
export function failureOfTrap(
  thrown: unknown,
  guest: GuestInstance | undefined,
  { fuel, depth }: Budget,
  error: string | undefined,
): Failure {
  if (thrown instanceof GuestExit) return { kind: "exit", message: thrown.message, value: thrown.code };
  if (guest?.isOutOfFuel === true) {
    return { kind: "fuel", message: `used up its fuel of ${fuel}`, limit: fuel, value: guest.fuelUsed };
  }
  if (guest?.isTooDeep === true) {
    return { kind: "stack", message: `exceeded its depth limit of ${depth} stack slots`, limit: depth };
  }
  // V8's own limits. The guest reaches V8's stack limit if its frames are larger than the depth counter assumes.
  if (thrown instanceof RangeError && !/stack/i.test(thrown.message)) {
    return { kind: "memory", message: `ran out of memory: ${thrown.message}` };
  }
  if (thrown instanceof RangeError) return { kind: "stack", message: `ran out of stack: ${thrown.message}` };
  if (thrown instanceof WebAssembly.RuntimeError) {
    // A panic sets the error text and then traps.
    const said = error === undefined ? "" : `; ${GUARD_REPORTED}${error}`;
    return { kind: "trap", message: `trapped: ${trapWords(thrown.message)}${said}` };
  }
  return { kind: "trap", message: describeThrown(thrown) };
}
