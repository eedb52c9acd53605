import { isJsonObject, type JsonObject, type JsonValue } from "../../../event.ts";
import type { WasmLimits } from "../../../rule.ts";
import type { Manifest } from "./manifest.ts";

/** What loading a module has to know of its manifest, without reading that again in every process. */
export interface ManifestClaims {
  /** How many there are. They themselves stay in the module. */
  readonly fixtures: number;
  readonly config: ConfigKeys | null;
  /** Those that the guard judges, where it has said so. */
  readonly events: readonly string[] | null;
  /** Grants that it says it cannot do without, where it says so. */
  readonly wants?: NonNullable<Manifest["wants"]>;
  /** As the author suggests them; they give a guard nothing. */
  readonly limits: SuggestedLimits;
  /** Limits under which whoever wrote this file has seen the fixtures pass. */
  readonly passedUnder?: FixtureLimits;
}

/** The keys of a rule's `config`, where the guard has said that there are no others. */
export interface ConfigKeys {
  readonly known: readonly string[] | null;
  readonly required: readonly string[];
}

export type SuggestedLimits = NonNullable<Manifest["limits"]>;

/** The limits that a guard can run into, beside its memory, which is written into its module. */
export type FixtureLimits = Omit<WasmLimits, "memoryBytes">;

export function claimsOf(manifest: Manifest | undefined): ManifestClaims | undefined {
  if (manifest === undefined) return undefined;
  return {
    fixtures: manifest.fixtures?.length ?? 0,
    config: configKeys(manifest.config as JsonObject | undefined),
    events: manifest.events ?? null,
    limits: manifest.limits ?? {},
    ...(manifest.wants === undefined ? {} : { wants: manifest.wants }),
  };
}

/**
 * Of a stranger's schema nothing is evaluated here but which keys there are: a pattern could hang us, and the guard
 * looks at the values itself. `known` is `null` where other keys may be allowed.
 */
function configKeys(schema: JsonObject | undefined): ConfigKeys | null {
  if (schema === undefined) return null;
  const { properties, additionalProperties, patternProperties, required } = schema;
  const described = isJsonObject(properties) ? properties : {};
  const closed = additionalProperties === false && patternProperties === undefined;
  const needed = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  return {
    known: closed ? Object.keys(described) : null,
    required: needed.filter((key): key is string => typeof key === "string" && !hasDefault(described, key)),
  };
}

function hasDefault(properties: JsonObject, key: string): boolean {
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(property) && Object.hasOwn(property, "default");
}

/** Fuel, depth and room for the answer are nothing that a guard can see: it passes with more as it does with less. */
export function coversLimits(proven: FixtureLimits, limits: FixtureLimits): boolean {
  return (Object.keys(proven) as (keyof FixtureLimits)[]).every((name) => limits[name] >= proven[name]);
}
