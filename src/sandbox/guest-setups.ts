import type { Grants, WasmLimits } from "../grants.ts";
import type { JsonObject } from "../json.ts";
import type { AdmittedModule } from "./admission/admitted-module.ts";
import { DEFAULT_HOST_LIMITS } from "./guest/host.ts";
import type { GuestSetup } from "./guest/protocol.ts";

/** How a module is called. The same object must be used for all calls with the same settings. */
export interface GuestSettings {
  readonly function: string;
  readonly config: JsonObject;
  readonly limits: WasmLimits;
  /** Default: no grants. */
  readonly grants?: Grants;
}

interface KeyedSetup {
  readonly key: number;
  readonly admitted: AdmittedModule;
  readonly setup: GuestSetup;
}

const setups = new WeakMap<GuestSettings, KeyedSetup>();
let setupsMade = 0;

/** Returns the setup of all calls with these settings, and its key, which is unique in this process. */
export function setupOf(settings: GuestSettings, admitted: AdmittedModule): Pick<KeyedSetup, "key" | "setup"> {
  let keyed = setups.get(settings);
  if (keyed?.admitted !== admitted) {
    const { limits, grants } = settings;
    setupsMade += 1;
    keyed = {
      key: setupsMade,
      admitted,
      setup: {
        moduleKey: admitted.key,
        module: admitted.module,
        function: settings.function,
        config: guestConfig(settings.config),
        limits: { ...DEFAULT_HOST_LIMITS, outputBytes: limits.outputBytes },
        depth: limits.depth,
        initializeFuel: limits.fuel,
        memoryBytes: admitted.memoryBytes,
        ...(grants === undefined ? {} : { grants }),
      },
    };
    setups.set(settings, keyed);
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
 * Maximum fuel for an input of any length. V8 does not interrupt every loop, so fuel must end a guest within seconds.
 */
const MAX_BUDGET = 2_000_000_000;

/** Returns the fuel of a call, which grows with the input's length, because a longer input takes longer to read. */
export function fuelFor({ limits: { fuel, fuelPerInputByte } }: GuestSettings, inputBytes: number): number {
  return Math.min(fuel + fuelPerInputByte * inputBytes, Math.max(fuel, MAX_BUDGET));
}
