import type { JsonObject } from "./case.ts";

/** Configurations of the generic page, short. */

export const GENERIC_PAGE = 'The generic page "Hooks and Extension Points"';

/** A file with these hooks in one group of one event. */
export function patternsAt(event: string, ...hooks: readonly JsonObject[]): JsonObject {
  return { hooks_config: { [event]: [{ hooks }] } };
}

/** The same for the tools that the matcher fits. */
export function patternsFor(matcher: string, event: string, ...hooks: readonly JsonObject[]): JsonObject {
  return { hooks_config: { [event]: [{ matcher, hooks }] } };
}
