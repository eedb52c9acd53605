import { homedir } from "node:os";
import { posix } from "node:path";

/** Paths with `/`, without detours. Links are not followed: what a path leads to may change before the tool runs. */

const DRIVE = /^([A-Za-z]):(?=[\\/]|$)/;

/** All that the path of a tool's input may mean; absolute where that can be told. */
export function placesOf(path: string, cwd: string | undefined): readonly string[] {
  // On other systems a backslash is a character like others, and the payload does not say which system it is.
  const spellings = path.includes("\\") ? [path, path.replaceAll("\\", "/")] : [path];
  const places = spellings.flatMap((spelling) => {
    const homely = /^~(?=\/|$)/.test(spelling) ? [inHome(spelling)] : [];
    return [place(spelling, cwd), ...homely];
  });
  return [...new Set(places)];
}

function place(path: string, cwd: string | undefined): string {
  const rooted = rootOf(path);
  if (rooted.startsWith("/") || cwd === undefined) return posix.normalize(rooted).replace(/(?<=.)\/$/, "");
  return posix.resolve(folder(cwd), rooted);
}

/** A working directory as absolute path. */
export function folder(cwd: string): string {
  return posix.resolve("/", rootOf(cwd.includes("\\") && DRIVE.test(cwd) ? cwd.replaceAll("\\", "/") : cwd));
}

/** `C:/x` as `/c/x`. */
export function rootOf(path: string): string {
  const spelled = DRIVE.test(path) ? path.replaceAll("\\", "/") : path;
  return spelled.normalize("NFC").replace(DRIVE, (_, drive: string) => `/${drive.toLowerCase()}`);
}

export function inHome(path: string): string {
  return posix.join(folder(homedir()), path.slice(1));
}
