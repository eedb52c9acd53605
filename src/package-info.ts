import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface PackageInfo {
  readonly name: string;
  readonly version: string;
}

let found: { readonly info: PackageInfo; readonly folder: string } | undefined;

/** Reads hookbox's own `package.json`. Searches upwards, because the bundled command line is in another folder. */
export function packageInfo(): PackageInfo {
  return findPackage().info;
}

/** Returns the folder of hookbox's own `package.json`. */
export function packageFolder(): string {
  return findPackage().folder;
}

function findPackage(): NonNullable<typeof found> {
  for (let folder = dirname(fileURLToPath(import.meta.url)); found === undefined; folder = dirname(folder)) {
    try {
      found = { info: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageInfo, folder };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder === dirname(folder)) throw error;
    }
  }
  return found;
}
