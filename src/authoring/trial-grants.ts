import type { Manifest } from "../executors/wasm/admission/manifest.ts";
import type { Grants } from "../rule.ts";

/**
 * What a guard is granted while it is built and tried: all that its manifest wants. Nothing real is behind it, since its
 * tests say what there is of the world.
 */
export function grantsForTrial({ wants = [] }: Pick<Manifest, "wants">): Grants {
  return Object.assign({}, ...wants.map((want) => ({ [want]: GRANTS[want] }))) as Grants;
}

/** As much of each as a rule usually gives. */
const GRANTS = {
  hosts: { allow: [], network: "public", maxCalls: 8, responseBytes: 262_144 },
  paths: [],
  state: { maxKeys: 64, maxBytes: 65_536 },
  clock: "fixed",
  random: "seeded",
  wasi: true,
} as const satisfies Required<Grants>;
