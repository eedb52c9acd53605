import type { Grants } from "../grants.ts";
import type { admission } from "../sandbox/index.ts";

/**
 * Returns the grants of a guard in builds and trials: everything that its manifest wants. The grants reach nothing
 * real, because the tests define the files, answers and state that the guard sees.
 */
export function grantsForTrial({ wants = [] }: Pick<admission.Manifest, "wants">): Grants {
  return Object.assign({}, ...wants.map((want) => ({ [want]: GRANTS[want] }))) as Grants;
}

/** The grants with their usual limits. */
const GRANTS = {
  hosts: { allow: [], network: "public", maxCalls: 8, responseBytes: 262_144 },
  paths: [],
  state: { maxKeys: 64, maxBytes: 65_536 },
  clock: "fixed",
  random: "seeded",
  wasi: true,
} as const satisfies Required<Grants>;
