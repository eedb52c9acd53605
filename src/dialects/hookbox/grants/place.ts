import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { ErrorCode } from "../../../errors.ts";
import { isAgentFolder, OWN_FILES, whyNotWritten } from "../../../files/protected-files.ts";
import type { PathGrant } from "../../../grants.ts";
import type { Layer } from "../../../layer-trust.ts";
import { mayComeWithRepository } from "../../../layer-trust.ts";
import type { Refused } from "./grant-problems.ts";

/** Finds the location of a granted path, and checks whether the file may grant the path. */

export interface FileOrigin {
  readonly layer: Layer;
  /** The folder of the file, against which relative paths are resolved. */
  readonly baseDir: string;
  /** The path of the file, as the user wrote it. */
  readonly file?: string | undefined;
}

interface RefusedPlace {
  readonly refused: Refused & { readonly code: ErrorCode };
}

type Judged = Pick<PathGrant, "within" | "location" | "apart">;

export function refusalOfPlace(path: string, access: PathGrant["access"], file: FileOrigin): Judged | RefusedPlace {
  const place = real(path);
  const apart = [file.baseDir, ...(file.file === undefined ? [] : [join(file.baseDir, basename(file.file))])];
  const refusal = access === "write" ? refusalOfWriting(path, place, apart) : undefined;
  if (refusal !== undefined) return { refused: { code: "HOOK_CONFIG_GRANT", ...refusal } };
  // The code that writes checks the location again, because a folder may have been replaced with a link by then.
  const judged: Judged = access === "write" && place !== undefined ? { location: place, apart } : {};
  if (!mayComeWithRepository(file.layer)) return judged;
  const folder = real(file.baseDir);
  if (folder !== undefined && place !== undefined && isIn(place, folder)) return { ...judged, within: folder };
  return {
    refused: {
      code: "HOOK_CONFIG_TRUST",
      message: "a file that may come with a repository cannot grant files outside of its folder",
      hint: "put the hook into your own configuration: ~/.config/hookbox/hookbox.json",
    },
  };
}

/** Returns why a guard may not write to the path. A guard must not write the files that decide its grants. */
function refusalOfWriting(path: string, place: string | undefined, apart: readonly string[]): Refused | undefined {
  const hint = "grant a separate folder below it or next to it";
  if (apart.some((one) => isIn(one, path) || isIn(real(one), place)))
    return {
      message: "a guard cannot get write access to the file that grants it, or to that file's folder",
      hint,
    };
  if (place === undefined)
    return {
      message: "a guard cannot get write access here, because the target of this path cannot be determined",
      hint: "create the target of the link first",
    };
  const why = whyNotWritten(place, path) ?? whyNotWritten(path, path);
  if (why !== undefined) return { message: `a guard cannot get write access to this path, which ${why}`, hint };
  if (isAgentFolder(place)) return { message: "a guard cannot get write access to an agent's own folder", hint };
  const isNamed = place === asNamed(path, apart[0]);
  // For a granted file, the folder that contains the file is checked.
  const configuration = isNamed ? undefined : [place, ...(isFolder(place) ? [] : [dirname(place)])].find(hasOwnFile);
  return configuration === undefined
    ? undefined
    : {
        message: `a link leads to a folder with a configuration of hookbox: ${configuration}`,
        hint: "write the target of the link instead",
      };
}

/** Returns the path. Resolves only the links on the way to the granting file. */
function asNamed(path: string, baseDir = ""): string {
  const folder = real(baseDir);
  return folder !== undefined && isIn(path, baseDir) ? join(folder, path.slice(baseDir.length)) : path;
}

function hasOwnFile(folder: string): boolean {
  return OWN_FILES.some((name) => isThere(join(folder, name)));
}

/**
 * Returns the path with all links resolved in its existing part. Returns `undefined` for a link without a target and
 * for a path that cannot be read.
 */
function real(path: string): string | undefined {
  let rest = "";
  for (let known = path; ; known = dirname(known)) {
    try {
      // The native form is used, because it spells the path as the code that opens the file later does.
      return join(realpathSync.native(known), rest);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isThere(known) || dirname(known) === known)
        return undefined;
      rest = join(basename(known), rest);
    }
  }
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
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
