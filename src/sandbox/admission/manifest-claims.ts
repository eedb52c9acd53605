import type { WasmLimits } from "../../grants.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { Manifest } from "./manifest-schema.ts";

/**
 * The parts of a manifest that are needed to load the module. Cached, so that not every process parses the manifest.
 */
export interface ManifestClaims {
  /** The number of fixtures. The fixtures themselves stay in the module. */
  readonly fixtures: number;
  readonly config: ConfigKeys | null;
  /** Events that the guard judges. `null` if the manifest does not list them. */
  readonly events: readonly string[] | null;
  /** Grants that the guard requires. Unset if the manifest does not list them. */
  readonly wants?: NonNullable<Manifest["wants"]>;
  /** Limits that the guard's author suggests. These limits have no effect on the rule's own limits. */
  readonly limits: SuggestedLimits;
  /** Limits under which the fixtures passed when this file was written. Memory is written into the module. */
  readonly passedUnder?: Omit<WasmLimits, "memoryBytes">;
}

/** The keys of a rule's `config` that the guard's schema names. */
interface ConfigKeys {
  /** All keys that the guard accepts. `null` if its schema allows other keys. */
  readonly known: readonly string[] | null;
  readonly required: readonly string[];
}

type SuggestedLimits = NonNullable<Manifest["limits"]>;

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
 * Reads only the key names of the guard's schema. Patterns in an untrusted schema could make this process hang, and the
 * guard checks the values itself.
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
