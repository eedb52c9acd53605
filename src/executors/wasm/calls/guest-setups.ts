import type { JsonObject } from "../../../json.ts";
import type { AdmittedModule } from "../../../sandbox/admission/admission.ts";
import { DEFAULT_HOST_LIMITS } from "../../../sandbox/guest/host.ts";
import type { GuestSetup } from "../../../sandbox/guest/protocol.ts";
import type { WasmRule } from "../../../sandbox/modules/module-store.ts";

/** Builds what is the same for all calls of a rule, once for each rule. */

interface KeyedSetup {
  readonly key: number;
  readonly admitted: AdmittedModule;
  readonly setup: GuestSetup;
}

const setups = new WeakMap<WasmRule, KeyedSetup>();
let setupsMade = 0;

/** Returns the setup of a rule and its key, which is unique in this process. */
export function setupOf(rule: WasmRule, admitted: AdmittedModule): Pick<KeyedSetup, "key" | "setup"> {
  let keyed = setups.get(rule);
  if (keyed?.admitted !== admitted) {
    const { handler } = rule;
    setupsMade += 1;
    keyed = {
      key: setupsMade,
      admitted,
      setup: {
        moduleKey: admitted.key,
        module: admitted.module,
        function: handler.function,
        config: guestConfig(handler.config),
        limits: { ...DEFAULT_HOST_LIMITS, outputBytes: handler.limits.outputBytes },
        depth: handler.limits.depth,
        initializeFuel: handler.limits.fuel,
        memoryBytes: admitted.memoryBytes,
        ...(handler.grants === undefined ? {} : { grants: handler.grants }),
      },
    };
    setups.set(rule, keyed);
  }
  return keyed;
}

/** Converts `config` to the ABI's form, in which values are strings. Other values than strings become JSON. */
function guestConfig(config: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

/**
 * Maximum fuel for an event of any length. V8 does not interrupt every loop, so fuel must end a guest within seconds.
 */
const MAX_BUDGET = 2_000_000_000;

/** Returns the fuel of a call, which grows with the event's length, because a longer event takes longer to read. */
export function fuelFor(rule: WasmRule, inputBytes: number): number {
  const { fuel, fuelPerInputByte } = rule.handler.limits;
  return Math.min(fuel + fuelPerInputByte * inputBytes, Math.max(fuel, MAX_BUDGET));
}
