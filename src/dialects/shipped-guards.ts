import type { WasmLimits } from "../grants.ts";
import type { Answer } from "../rule.ts";
import type { RuleDefaults } from "./dialect.ts";

/** The guards that ship with hookbox, and how a rule with such a guard differs from a rule with another module. */

/** A test compares this list with the shipped files. */
export const SHIPPED_GUARDS: readonly string[] = [
  "command-policy",
  "egress-guard",
  "path-guard",
  "secret-guard",
  "self-guard",
  "shell-guard",
];

/** The agents' own built-in hooks that judge, each with the guard that stands for the hook. */
export const GUARD_OF_JUDGE: Readonly<Record<string, string>> = {
  redact_secrets: "secret-guard",
  safer_shell: "shell-guard",
  "security-guard": "shell-guard",
};

const PREFIX = "builtin:";

/** Returns `NAME` from `builtin:NAME`. Returns `undefined` for any other text. */
export function builtinName(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined;
}

/** The guard that replaces texts, which may be long. */
const REPLACES = "builtin:secret-guard";

/** Returns the answers of a module that count without a setting, apart from denials and questions. */
export function furtherAnswersOf(module: string): readonly Answer[] {
  return module === REPLACES ? ["rewrite", "context"] : [];
}

const DEFAULT_OUTPUT_BYTES = 65_536;
const DEFAULT_DEPTH = 262_144;

type Defaults = Pick<RuleDefaults, "wasmMemoryBytes" | "wasmFuel" | "wasmFuelPerInputByte">;

/** Returns the limits of a module whose rule sets none. */
export function usualLimits(module: string, defaults: Defaults): WasmLimits {
  const isLong = module === REPLACES;
  return {
    memoryBytes: defaults.wasmMemoryBytes,
    fuel: defaults.wasmFuel,
    fuelPerInputByte: Math.max(defaults.wasmFuelPerInputByte, isLong ? 10_000 : 0),
    depth: DEFAULT_DEPTH,
    outputBytes: isLong ? 4_194_304 : DEFAULT_OUTPUT_BYTES,
  };
}
