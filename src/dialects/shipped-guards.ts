import type { WasmLimits } from "../grants.ts";
import type { Answer } from "../rule.ts";
import type { RuleDefaults } from "./dialect.ts";

/** The guards that ship with hookbox, and how a rule with such a guard differs from a rule with another module. */

interface ShippedGuard {
  /** Answers that count by default, in addition to a denial and a question. */
  readonly may?: readonly Answer[];
  /** Limits that the guard needs, if they are higher than the usual ones. */
  readonly limits?: Partial<Pick<WasmLimits, "fuelPerInputByte" | "outputBytes">>;
}

/** A test compares the names with the shipped files, and the limits with the manifests. */
const SHIPPED: Readonly<Record<string, ShippedGuard>> = {
  "path-guard": {},
  "secret-guard": { may: ["rewrite", "context"], limits: { fuelPerInputByte: 10_000, outputBytes: 4_194_304 } },
  "self-guard": {},
  "shell-guard": {},
};

/** The agents' own built-in hooks that judge, each with the guard that stands for the hook. */
export const GUARD_OF_JUDGE: Readonly<Record<string, string>> = {
  redact_secrets: "secret-guard",
  safer_shell: "shell-guard",
  "security-guard": "shell-guard",
};

export const SHIPPED_GUARDS: readonly string[] = Object.keys(SHIPPED);

const PREFIX = "builtin:";

/** Returns `NAME` from `builtin:NAME`. Returns `undefined` for any other text. */
export function builtinName(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined;
}

function shippedGuard(module: string): ShippedGuard {
  const name = builtinName(module) ?? "";
  return (Object.hasOwn(SHIPPED, name) ? SHIPPED[name] : undefined) ?? {};
}

/** Returns the answers of a module that count without a setting, apart from denials and questions. */
export function furtherAnswersOf(module: string): readonly Answer[] {
  return shippedGuard(module).may ?? [];
}

const DEFAULT_OUTPUT_BYTES = 65_536;
const DEFAULT_DEPTH = 262_144;

type Defaults = Pick<RuleDefaults, "wasmMemoryBytes" | "wasmFuel" | "wasmFuelPerInputByte">;

/** Returns the limits of a module whose rule sets none. */
export function usualLimits(module: string, defaults: Defaults): WasmLimits {
  const { fuelPerInputByte = 0, outputBytes = DEFAULT_OUTPUT_BYTES } = shippedGuard(module).limits ?? {};
  return {
    memoryBytes: defaults.wasmMemoryBytes,
    fuel: defaults.wasmFuel,
    fuelPerInputByte: Math.max(defaults.wasmFuelPerInputByte, fuelPerInputByte),
    depth: DEFAULT_DEPTH,
    outputBytes,
  };
}
