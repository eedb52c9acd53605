/**
 * Toolchains' own names for code that comes before any other. Whoever links a module runs it, and so outside of a call
 * and its limits; admitted modules have it under names of ours. A start function cannot be renamed.
 */
export const START_EXPORTS: readonly string[] = ["_start", "_initialize", "hs_init"];

/** Of a WASI command: it is run once for each call, reads the event from its input and prints the answer. */
export const COMMAND = "_start";

/** Of modules that serve many calls, as WASI toolchains make them. */
export const INITIALIZE = "_initialize";

/** What an export of an admitted module is called once its limits are written into it. */
export function exportedName(name: string): string {
  return START_EXPORTS.includes(name) ? `hookbox:${name}` : name;
}
