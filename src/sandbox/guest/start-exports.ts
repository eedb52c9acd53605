/**
 * Names of exports that toolchains use for start code. A linker runs them automatically, outside of a call and its
 * limits, so admitted modules export them under other names. A module's start function has no name and cannot be
 * renamed.
 */
export const START_EXPORTS: readonly string[] = ["_start", "_initialize", "hs_init"];

/** Entry function of a WASI command. Runs once for each call, reads the event from stdin and prints the answer. */
export const COMMAND = "_start";

/** Start function of modules that serve many calls, as built by WASI toolchains. */
export const INITIALIZE = "_initialize";

/** Returns the name of an export in an admitted module. */
export function exportedName(name: string): string {
  return START_EXPORTS.includes(name) ? `hookbox:${name}` : name;
}
