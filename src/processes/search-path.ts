import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { describeThrown } from "../errors.ts";

/** Finding an executable without ever trusting the working directory, which a hostile repository may own. */

export type Lookup =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly reason: string; readonly lacksExecBit?: boolean };

// An empty PATH is not "nothing": POSIX reads it as the working directory.
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

// `\tools` is absolute for Windows and still depends on the current drive.
const WINDOWS_ROOTED = /^(?:[a-z]:[\\/]|\\\\[^\\])/i;

// Batch files are left out: they need cmd.exe, whose quoting lets an argument become a command.
const WINDOWS_ENDINGS = [".exe", ".com"];
const BATCH_ENDINGS = [".cmd", ".bat"];
const BATCH_REASON =
  "a batch file, which cmd.exe would read, arguments and all, as text of its own; run it from a shell hook instead";

/** What is asked of the machine, so that rules for another one can be tested on this one. */
export interface Disk {
  checkExecutable(file: string): Lookup;
  isDirectory(folder: string): boolean;
}

function isRooted(entry: string, platform: NodeJS.Platform): boolean {
  return platform === "win32" ? WINDOWS_ROOTED.test(entry) : entry.startsWith("/");
}

/** PATH without its empty and relative entries, each of which means a folder that depends on where the hook runs. */
export function cleanSearchPath(value: string | undefined, platform: NodeJS.Platform): string {
  const delimiter = platform === "win32" ? ";" : ":";
  const entries = (value ?? "").split(delimiter).filter((entry) => isRooted(entry, platform));
  if (entries.length === 0 && platform !== "win32") return FALLBACK_PATH;
  return entries.join(delimiter);
}

/** Whether this very file can be run. */
export function checkExecutable(file: string): Lookup {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return { ok: false, reason: `${file} does not exist` };
    if (!stats.isFile()) return { ok: false, reason: `${file} is not a file` };
  } catch (thrown) {
    return { ok: false, reason: `${file} cannot be looked at: ${describeThrown(thrown)}` };
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

/** Paths as the platform has them, whichever one this is. */
export function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}

function endingsFor(name: string, platform: NodeJS.Platform): readonly string[] {
  if (platform !== "win32") return [""];
  return WINDOWS_ENDINGS.includes(path.win32.extname(name).toLowerCase()) ? [""] : WINDOWS_ENDINGS;
}

/** The program that a path names. On Windows its ending may be left out. */
export function findAt(file: string, platform: NodeJS.Platform, disk: Disk): Lookup {
  if (platform !== "win32") return disk.checkExecutable(file);
  if (BATCH_ENDINGS.includes(path.win32.extname(file).toLowerCase())) return refusedBatch(file);
  const lookups = endingsFor(file, platform).map((ending) => disk.checkExecutable(file + ending));
  return lookups.find(({ ok }) => ok) ?? (lookups[0] as Lookup);
}

/** `name` has no slash; `searchPath` has been cleaned. */
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
      // As execvp does: a file without its exec bit is passed over, and only named when nothing else is found.
      if (lookup.lacksExecBit) nearMiss ??= lookup;
    }
    const batch = isWindows && BATCH_ENDINGS.find((ending) => disk.checkExecutable(file + ending).ok);
    // What Windows itself would have run: a program of that name further down is another one.
    if (batch) return refusedBatch(file + batch);
  }
  return nearMiss ?? { ok: false, reason: `"${name}" was not found on PATH (${searchPath})` };
}

function refusedBatch(file: string): Lookup {
  return { ok: false, reason: `${file} is ${BATCH_REASON}` };
}
