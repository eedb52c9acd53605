import type { GuardDefinition } from "./define-guard.ts";

/** The version of the guest ABI that this library uses. */
const ABI = 1;

/**
 * Returns the manifest of a definition. Its keys always have the same order, because the manifest is part of the
 * module's digest.
 */
export function manifestJson(definition: GuardDefinition): string {
  const { name, version, description, events, wants = [], config, limits = {} } = definition;
  return JSON.stringify({
    name,
    version,
    abi: ABI,
    description,
    events,
    wants: wants.length === 0 ? undefined : wants,
    config,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
  });
}
