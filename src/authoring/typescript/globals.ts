import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What our library's table says of globals that the engine has not. */

export interface GlobalsTable {
  /** Name -> the module of `hookbox/guest/globals` that exports it. */
  readonly provided: Readonly<Record<string, string>>;
  /** Name -> what to do instead. */
  readonly missing: Readonly<Record<string, string>>;
}

export async function readGlobals(guestFolder: string): Promise<GlobalsTable> {
  const table = (await import(pathToFileURL(join(guestFolder, "globals/table.js")).href)) as {
    readonly PROVIDED_GLOBALS: GlobalsTable["provided"];
    readonly MISSING_GLOBALS: GlobalsTable["missing"];
  };
  return { provided: table.PROVIDED_GLOBALS, missing: table.MISSING_GLOBALS };
}

/**
 * A module for esbuild's `inject`: what it exports takes the place of a name that nothing else binds, and is in a script
 * only where it is used.
 */
export function injectedModule({ provided }: GlobalsTable): string {
  return Object.entries(provided)
    .map(([name, file]) => `export { ${name} } from ${JSON.stringify(`hookbox/guest/globals/${file}`)};\n`)
    .join("");
}

/** For esbuild's `define`: `globalThis.NAME` is the same as the name. */
export function qualifiedNames({ provided }: GlobalsTable): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(provided).map((name) => [`globalThis.${name}`, name]));
}
