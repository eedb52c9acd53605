import type { GuardDefinition } from "./define-guard.ts";

/** Version of the guest ABI that this library speaks. */
const ABI = 1;

/** The manifest of a definition, always with its keys in the same order, since it is part of the module's digest. */
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
