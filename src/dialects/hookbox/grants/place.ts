import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { ErrorCode } from "../../../errors.ts";
import type { PathGrant } from "../../../rule.ts";
import type { FileTerms } from "./paths.ts";

/** Where a granted path lies, and whether the file that grants it may do so. */

interface RefusedPlace {
  readonly refused: { readonly code: ErrorCode; readonly message: string; readonly hint?: string };
}

export function flawOfPlace(
  path: string,
  access: PathGrant["access"],
  { layer, baseDir }: FileTerms,
): Pick<PathGrant, "within"> | RefusedPlace {
  // No guard may write what decides what it is granted.
  if (access === "write" && (isIn(baseDir, path) || isOwnFile(path, baseDir) || isIn(real(baseDir), real(path))))
    return {
      refused: {
        code: "HOOK_CONFIG_GRANT",
        message: "a guard cannot be let write the folder of the file that grants it, or that file",
        hint: "grant a folder of its own below or beside it",
      },
    };
  if (layer !== "project") return {};
  const folder = real(baseDir);
  const place = real(path);
  if (folder !== undefined && place !== undefined && isIn(place, folder)) return { within: folder };
  return {
    refused: {
      code: "HOOK_CONFIG_TRUST",
      message: "a file that may come with a repository cannot grant files outside of its folder",
      hint: "put the hook into your own configuration, or name this file with --config",
    },
  };
}

const OWN_FILE = /^hookbox\.(?:jsonc?|ya?ml|lock)$/i;

function isOwnFile(path: string, baseDir: string): boolean {
  const place = real(path) ?? path;
  return OWN_FILE.test(basename(place)) && [baseDir, real(baseDir)].includes(dirname(place));
}

/**
 * Where a path leads with all links followed, as far as it exists. `undefined` for a link that leads nowhere yet, and
 * for what cannot be looked at.
 */
function real(path: string): string | undefined {
  let rest = "";
  for (let known = path; ; known = dirname(known)) {
    try {
      return join(realpathSync(known), rest);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isThere(known) || dirname(known) === known)
        return undefined;
      rest = join(basename(known), rest);
    }
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isIn(place: string | undefined, folder: string | undefined): boolean {
  if (place === undefined || folder === undefined) return false;
  return place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
