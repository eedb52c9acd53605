import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Globals that the engine has not and our library gives: each is in a guard's script only where it is used. */

/** Name of a global -> the module under `hookbox/guest` that exports it. */
export type GivenGlobals = Readonly<Record<string, string>>;

export async function readGivenGlobals(guestFolder: string): Promise<GivenGlobals> {
  const table = pathToFileURL(join(guestFolder, "globals/table.js")).href;
  return ((await import(table)) as { readonly GLOBALS: GivenGlobals }).GLOBALS;
}

/** A module for esbuild's `inject`: what it exports takes the place of a name that nothing else binds. */
export function injectedModule(globals: GivenGlobals): string {
  return Object.entries(globals)
    .map(([name, module]) => `export { ${name} } from ${JSON.stringify(`hookbox/guest/${module}`)};\n`)
    .join("");
}

/** For esbuild's `define`: `globalThis.NAME` is the same as the name. */
export function qualifiedNames(globals: GivenGlobals): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(globals).map((name) => [`globalThis.${name}`, name]));
}
