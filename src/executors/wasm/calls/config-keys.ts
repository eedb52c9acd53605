import type { JsonObject } from "../../../json.ts";
import { type AdmittedModule, type RefusedModule, refusedModule } from "../../../sandbox/index.ts";
import { suggest } from "../../../suggest.ts";

type ConfigKeys = NonNullable<AdmittedModule["claims"]>["config"];

/**
 * Returns a refusal for an unknown or missing key in a rule's `config`. A guard reads only the keys that it knows.
 * Without this check, a misspelt key would be ignored, and the action that the user wanted to stop would be allowed.
 */
export function refusalOfConfig(config: JsonObject, keys: ConfigKeys | undefined): RefusedModule | undefined {
  if (keys === null || keys === undefined) return undefined;
  const { known, required } = keys;
  const unknown = known === null ? undefined : Object.keys(config).find((key) => !known.includes(key));
  if (unknown !== undefined)
    return refuse(`does not accept the config key "${unknown}"`, suggest(unknown, known ?? []) ?? listed(known));
  const missing = required.find((key) => !Object.hasOwn(config, key));
  return missing === undefined ? undefined : refuse(`requires the config key "${missing}"`);
}

const MAX_LISTED = 12;

function listed(known: readonly string[] | null): string | undefined {
  if (known === null) return undefined;
  if (known.length === 0) return "it accepts no config keys";
  return `it accepts ${known.slice(0, MAX_LISTED).join(", ")}${known.length > MAX_LISTED ? ", …" : ""}`;
}

function refuse(message: string, hint?: string): RefusedModule {
  return refusedModule("HOOK_MODULE_CONFIG", "unavailable", hint === undefined ? message : `${message}; ${hint}`);
}
