import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let found: { readonly version: string } | undefined;

/** Our own `package.json`. Looked for upwards: the command line is bundled, and not where its source is. */
export function packageInfo(): { readonly version: string } {
  for (let folder = dirname(fileURLToPath(import.meta.url)); found === undefined; folder = dirname(folder)) {
    try {
      found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder === dirname(folder)) throw error;
    }
  }
  return found;
}
