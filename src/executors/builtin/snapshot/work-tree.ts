import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Finds a repository without asking git, because the repository's configuration may name another work tree. */

export interface WorkTree {
  /** The real path of the folder that contains `.git`. */
  readonly top: string;
  /** The user's own repository, which hookbox only reads. In a linked work tree, `gitDir` and `commonDir` differ. */
  readonly gitDir: string;
  readonly commonDir: string;
}

/** The maximum size of a `.git` file or a `commondir` file. */
const MAX_POINTER_BYTES = 8_192;

/** Returns the repository that contains a folder. Returns `undefined` outside of a repository. */
export async function findWorkTree(cwd: string): Promise<WorkTree | undefined> {
  let top: string;
  try {
    top = await realpath(cwd);
  } catch {
    return undefined;
  }
  for (;;) {
    const gitDir = await gitDirOf(top);
    if (gitDir !== undefined) return { top, gitDir, commonDir: await commonDirOf(gitDir) };
    const parent = dirname(top);
    if (parent === top) return undefined;
    top = parent;
  }
}

async function gitDirOf(top: string): Promise<string | undefined> {
  const path = join(top, ".git");
  try {
    if ((await stat(path)).isDirectory()) return (await isGitDir(path)) ? path : undefined;
    const pointer = /^gitdir: (.+)$/m.exec((await readShort(path)) ?? "")?.[1];
    const gitDir = pointer === undefined ? undefined : resolve(top, pointer.trim());
    return gitDir !== undefined && (await isGitDir(gitDir)) ? gitDir : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder is a repository by git's criteria, and not only by its name. */
async function isGitDir(path: string): Promise<boolean> {
  try {
    await lstat(join(path, "HEAD"));
    return true;
  } catch {
    return false;
  }
}

async function commonDirOf(gitDir: string): Promise<string> {
  const pointer = await readShort(join(gitDir, "commondir"));
  return pointer === undefined ? gitDir : resolve(gitDir, pointer.trim());
}

async function readShort(path: string): Promise<string | undefined> {
  return (await readRegular(path, MAX_POINTER_BYTES))?.toString("utf8");
}

/** Reads a regular file. Returns `undefined` for other files, such as a pipe, and for a file that is too large. */
export async function readRegular(path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= maxBytes ? await readFile(path) : undefined;
  } catch {
    return undefined;
  }
}
