import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The guest library's table of globals that the JavaScript engine does not have. */

export interface GlobalsTable {
  /** The module of `hookbox/guest/globals` that exports each name. */
  readonly provided: Readonly<Record<string, string>>;
  /** The hint for each name: what to do instead. */
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
 * Returns a module for esbuild's `inject`. Its exports replace names that the script does not define. The script
 * contains only exports that it uses.
 */
export function injectedModule({ provided }: GlobalsTable): string {
  return Object.entries(provided)
    .map(([name, file]) => `export { ${name} } from ${JSON.stringify(`hookbox/guest/globals/${file}`)};\n`)
    .join("");
}

/** Returns the `define` option of esbuild that replaces `globalThis.NAME` with the name. */
export function qualifiedNames({ provided }: GlobalsTable): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(provided).map((name) => [`globalThis.${name}`, name]));
}
