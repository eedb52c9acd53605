import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { describeThrown } from "../errors.ts";

/** Finds executables without searching the working directory, because it may belong to a hostile repository. */

export type Lookup =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly reason: string; readonly lacksExecBit?: boolean };

// The fallback replaces an empty PATH, because POSIX reads an empty PATH as the working directory.
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

// A path with a drive or a server. `\tools` is absolute on Windows but depends on the current drive.
const WINDOWS_ROOTED = /^(?:[a-z]:[\\/]|\\\\[^\\])/i;

// Batch files are left out, because they need cmd.exe, whose quoting can turn an argument into a command.
const WINDOWS_ENDINGS = [".exe", ".com"];
const BATCH_ENDINGS = [".cmd", ".bat"];
const BATCH_REASON =
  "a batch file, whose arguments cmd.exe would interpret as commands; run it from a shell hook instead";

/** The file system, as an interface so that tests can check the rules of another platform. */
export interface Disk {
  checkExecutable(file: string): Lookup;
  isDirectory(folder: string): boolean;
}

function isRooted(entry: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? WINDOWS_ROOTED.test(entry) : entry.startsWith("/");
}

/** Removes empty and relative entries from PATH, because they depend on the working directory. */
export function cleanSearchPath(value: string | undefined, platform: NodeJS.Platform): string {
  const delimiter = platform === "win32" ? ";" : ":";
  const entries = (value ?? "").split(delimiter).filter((entry) => isRooted(entry, platform));
  if (entries.length === 0 && platform !== "win32") return FALLBACK_PATH;
  return entries.join(delimiter);
}

/** Whether exactly this file can be executed. */
export function checkExecutable(file: string): Lookup {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return { ok: false, reason: `${file} does not exist` };
    if (!stats.isFile()) return { ok: false, reason: `${file} is not a file` };
  } catch (thrown) {
    return { ok: false, reason: `${file} cannot be inspected: ${describeThrown(thrown)}` };
  }
  try {
    accessSync(file, constants.X_OK);
    return { ok: true, file };
  } catch {
    return { ok: false, reason: `${file} is not executable (chmod +x)`, lacksExecBit: true };
  }
}

function isDirectory(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

export const THIS_DISK: Disk = { checkExecutable, isDirectory };

/** Returns the path functions of a platform. */
export function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}

function endingsFor(name: string, platform: NodeJS.Platform): readonly string[] {
  if (platform !== "win32") return [""];
  return WINDOWS_ENDINGS.includes(path.win32.extname(name).toLowerCase()) ? [""] : WINDOWS_ENDINGS;
}

/** Finds the program at a path. On Windows the extension may be missing. */
export function findAt(file: string, platform: NodeJS.Platform, disk: Disk): Lookup {
  if (platform !== "win32") return disk.checkExecutable(file);
  if (BATCH_ENDINGS.includes(path.win32.extname(file).toLowerCase())) return refusedBatch(file);
  const lookups = endingsFor(file, platform).map((ending) => disk.checkExecutable(file + ending));
  return lookups.find(({ ok }) => ok) ?? (lookups[0] as Lookup);
}

/** Finds a program on PATH. `name` has no slash, and `searchPath` is the result of `cleanSearchPath`. */
export function findOnSearchPath(
  name: string,
  searchPath: string,
  platform: NodeJS.Platform,
  disk: Disk = THIS_DISK,
): Lookup {
  const isWindows = platform === "win32";
  if (isWindows && BATCH_ENDINGS.includes(path.win32.extname(name).toLowerCase())) return refusedBatch(name);
  const folders = searchPath.split(isWindows ? ";" : ":").filter((folder) => folder !== "");
  let nearMiss: Lookup | undefined;
  for (const folder of folders) {
    const file = pathsOf(platform).join(folder, name);
    for (const ending of endingsFor(name, platform)) {
      const lookup = disk.checkExecutable(file + ending);
      if (lookup.ok) return lookup;
      // A file without the executable bit is skipped, as in execvp, and reported only if no other file is found.
      if (lookup.lacksExecBit) nearMiss ??= lookup;
    }
    const batch = isWindows && BATCH_ENDINGS.find((ending) => disk.checkExecutable(file + ending).ok);
    // Windows would run this batch file, so a program of the same name later on PATH is not the intended program.
    if (batch) return refusedBatch(file + batch);
  }
  return nearMiss ?? { ok: false, reason: `"${name}" was not found on PATH (${searchPath})` };
}

function refusedBatch(file: string): Lookup {
  return { ok: false, reason: `${file} is ${BATCH_REASON}` };
}
