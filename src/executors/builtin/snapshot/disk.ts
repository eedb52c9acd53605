import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { sep } from "node:path";

/** Determines what is at a path of the work tree. Links on the way are not followed. */

export type PathState =
  | { readonly kind: "file"; readonly bytes: number; readonly mode: number; readonly readable: boolean }
  | { readonly kind: "link" | "folder" | "other" }
  | { readonly kind: "nothing" }
  /** A part of the path is a link or a file, so the path leads outside of the work tree or nowhere. */
  | { readonly kind: "astray"; readonly at: string };

interface Disk {
  stateAt(path: string): Promise<PathState>;
}

/** Returns a reader of paths. Results for folders are cached, so each pass needs a new object. */
export function diskBelow(top: string): Disk {
  const folders = new Map<string, Promise<PathState>>();

  const look = async (path: string): Promise<PathState> => {
    const file = absolutePath(top, path);
    try {
      const stats = await lstat(file);
      if (stats.isSymbolicLink()) return { kind: "link" };
      if (stats.isDirectory()) return { kind: "folder" };
      if (!stats.isFile()) return { kind: "other" };
      return { kind: "file", bytes: stats.size, mode: stats.mode & 0o777, readable: await isReadable(file) };
    } catch {
      return { kind: "nothing" };
    }
  };

  const folderAt = (path: string): Promise<PathState> => {
    const known = folders.get(path) ?? stateAt(path);
    folders.set(path, known);
    return known;
  };

  async function stateAt(path: string): Promise<PathState> {
    const slash = path.lastIndexOf("/");
    if (slash > 0) {
      const folder = path.slice(0, slash);
      const above = await folderAt(folder);
      if (above.kind === "link" || above.kind === "file" || above.kind === "other")
        return { kind: "astray", at: folder };
      if (above.kind !== "folder") return above;
    }
    return look(path);
  }

  return { stateAt };
}

async function isReadable(file: Buffer): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the absolute path as bytes for the file system, because a path may not be UTF-8. */
export function absolutePath(top: string, path: string): Buffer {
  const prefix = top.endsWith(sep) ? top : top + sep;
  return Buffer.concat([Buffer.from(prefix), Buffer.from(path, "latin1")]);
}
