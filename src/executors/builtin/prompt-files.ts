import { constants } from "node:fs";
import { open, opendir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { describeThrown } from "../../errors.ts";
import { headOf } from "./cut-bytes.ts";

/** Finds and reads files of instructions. */

const MAX_FILE_BYTES = 32_768;
const MAX_FOLDERS = 2_000;
const MAX_LISTED = 100;

/** Folders with other authors' files, which are not searched. */
const NOT_LOOKED_INTO = new Set(["node_modules", "vendor", "target", "dist"]);

/** Whether a name stays inside of the folder in which it is looked up. */
export function isPlainName(name: string): boolean {
  const parts = name.split(/[/\\]/);
  return !/[\0:]/.test(name) && parts.every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Whether a part of the name begins with a dot, such as `.netrc` or `.ssh/config`. In the home folder such files are
 * not instructions.
 */
export function isHidden(name: string): boolean {
  return name.split(/[/\\]/).some((part) => part.startsWith("."));
}

/** Returns the folder and its parent folders, nearest first. */
export function foldersUpwards(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpwards(above)];
}

export type PromptFile =
  | { readonly ok: true; readonly file: string; readonly text: string; readonly isCut: boolean }
  /** The file exists but was not read. */
  | { readonly ok: false; readonly file: string; readonly reason: string };

/**
 * Reads the file with this name in a folder. `undefined`: there is no file. A link out of the folder is followed only
 * if `followsLinks` is set, because a repository may contain a link to the user's keys.
 */
export async function readPromptFile(
  folder: string,
  name: string,
  followsLinks: boolean,
): Promise<PromptFile | undefined> {
  const file = path.join(folder, name);
  try {
    if ((await stat(file).catch(() => undefined)) === undefined) return undefined;
    const real = await realpath(file);
    if (!followsLinks && !isWithin(await realpath(folder), real)) {
      return { ok: false, file, reason: "a link leads away from its folder" };
    }
    // Without O_NONBLOCK, opening a pipe would wait for a writer. O_NOFOLLOW is safe, because the path is already
    // resolved.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return { ok: false, file, reason: "not a file" };
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_FILE_BYTES + 1), 0, MAX_FILE_BYTES + 1, 0);
      const bytes = buffer.subarray(0, bytesRead);
      return { ok: true, file, text: headOf(bytes, MAX_FILE_BYTES), isCut: bytesRead > MAX_FILE_BYTES };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { ok: false, file, reason: describeThrown(error) };
  }
}

function isWithin(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== "" && way.split(path.sep)[0] !== ".." && !path.isAbsolute(way);
}

/** Returns the relative paths of the files with these names below a folder. Does not follow links to folders. */
export async function listBelow(
  folder: string,
  names: readonly string[],
  depth: number,
  stop: { readonly aborted: boolean },
): Promise<readonly string[]> {
  const found: string[] = [];
  let level: readonly string[] = [""];
  let visited = 0;
  for (let at = 0; at <= depth && level.length > 0; at += 1) {
    const next: string[] = [];
    for (const place of level) {
      visited += 1;
      if (stop.aborted || visited > MAX_FOLDERS || found.length >= MAX_LISTED) return found.slice(0, MAX_LISTED).sort();
      if (at > 0) found.push(...(await namesIn(path.join(folder, place), names)).map((name) => path.join(place, name)));
      if (at < depth) next.push(...(await foldersIn(folder, place)));
    }
    level = next;
  }
  return found.slice(0, MAX_LISTED).sort();
}

async function namesIn(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const there = names.map(async (name) => {
    const stats = await stat(path.join(folder, name)).catch(() => undefined);
    return stats?.isFile() === true ? [name] : [];
  });
  return (await Promise.all(there)).flat();
}

async function foldersIn(folder: string, place: string): Promise<readonly string[]> {
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(path.join(folder, place))) {
      if (!entry.isDirectory() || entry.name.startsWith(".") || NOT_LOOKED_INTO.has(entry.name)) continue;
      folders.push(path.join(place, entry.name));
      if (folders.length === MAX_FOLDERS) break;
    }
  } catch {
    // A folder that cannot be read is skipped.
  }
  return folders.sort();
}
