import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { describeThrown } from "../../errors.ts";

/** Finding an executable without ever trusting the working directory, which a hostile repository may own. */

export type Lookup =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly reason: string; readonly lacksExecBit?: boolean };

// An empty PATH is not "nothing": POSIX reads it as the working directory.
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

// `\tools` is absolute for Windows and still depends on the current drive.
const WINDOWS_ROOTED = /^(?:[a-z]:[\\/]|\\\\[^\\])/i;

// Batch files are left out: they need cmd.exe, whose quoting lets an argument become a command.
const WINDOWS_ENDINGS = ["", ".exe", ".com"];

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

/** `name` has no slash; `searchPath` has been cleaned. */
export function findOnSearchPath(name: string, searchPath: string, platform: NodeJS.Platform): Lookup {
  const [delimiter, endings] = platform === "win32" ? [";", WINDOWS_ENDINGS] : [":", [""]];
  let nearMiss: Lookup | undefined;
  for (const folder of searchPath.split(delimiter)) {
    for (const ending of endings) {
      const lookup = checkExecutable(path.join(folder, name + ending));
      if (lookup.ok) return lookup;
      // As execvp does: a file without its exec bit is passed over, and only named when nothing else is found.
      if (lookup.lacksExecBit) nearMiss ??= lookup;
    }
  }
  return nearMiss ?? { ok: false, reason: `"${name}" was not found on PATH (${searchPath})` };
}
