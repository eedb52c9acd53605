/** Decides how far each layer is trusted. `project-folder.ts` decides which files have the layer `project`. */

/** The sources of rules, in verdict order. {@link trustOf} returns the trust of each source. */
export const LAYERS = ["managed", "user", "project", "local", "session", "command-line"] as const;
export type Layer = (typeof LAYERS)[number];

interface Layered {
  readonly layer: Layer;
}

const TRUST: Readonly<Record<Layer, number>> = {
  managed: 2,
  // Rules that a program registers or the command line names are trusted like the user's own files.
  ...{ user: 1, session: 1, "command-line": 1 },
  ...{ project: 0, local: 0 },
};

/**
 * Returns the rank of a layer; a higher rank is more trusted. A file of lower trust cannot weaken, silence or starve a
 * rule of higher trust, neither by a setting nor by the time and memory that its rules use.
 */
export function trustOf(layer: Layer): number {
  return TRUST[layer];
}

/** Returns a copy of the rules, most trusted first. Rules of equal trust keep their order. */
export function mostTrustedFirst<Item extends Layered>(rules: readonly Item[]): readonly Item[] {
  return [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
}

export type Side = "own" | "project";

/** Returns the side of a rule. Rules of project files share one limit, and all other rules share another limit. */
export function sideOf({ layer }: Layered): Side {
  return mayComeWithRepository(layer) ? "project" : "own";
}

/** Whether files of the layer may come with a repository. Their rules must not reach private networks and secrets. */
export function mayComeWithRepository(layer: Layer): boolean {
  return trustOf(layer) === 0;
}
