import { createHash, randomBytes } from "node:crypto";
import { access, chmod, copyFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { devNull, homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { callersEnvironment } from "../../../caller.ts";
import { makeFolder } from "../../../files/make-folder.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { gitFailure, NO_CONFIG, runGit } from "./git.ts";
import { readRegular, type WorkTree } from "./work-tree.ts";

/**
 * The shadow: hookbox's own repository with the user's work tree. The shadow has its own configuration, index and
 * objects. Programs that the user's files or configuration name are not run.
 */

export interface Shadow {
  readonly workTree: WorkTree;
  /** The folder with `git/`, `lock` and the list of checkpoints. */
  readonly folder: string;
  readonly gitFile: string;
  readonly stop: StopSignal;
}

interface ShadowCall {
  readonly input?: Buffer;
  /** The index. Default: the shadow's index after the last capture. */
  readonly index?: string;
  /** The work tree. Default: the user's work tree. */
  readonly workTree?: string;
  /** Exit codes that are no failure. Default: 0. */
  readonly codes?: readonly number[];
}

const MAX_IGNORE_BYTES = 1_048_576;

// Disables all text conversions and all filters that a `.gitattributes` may name, because this file has precedence.
const ATTRIBUTES = "* -text -eol -ident -filter !working-tree-encoding\n";

const SETTINGS: readonly string[] = [
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  "core.splitIndex=false",
  "core.quotePath=false",
  "core.looseCompression=1",
  "core.preloadIndex=true",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** Returns the shadow's folder, named for the real path, so that all paths to the work tree have the same shadow. */
export function shadowFolder(snapshotsFolder: string, { top }: Pick<WorkTree, "top">): string {
  return join(snapshotsFolder, createHash("sha256").update(top).digest("hex").slice(0, 32));
}

export const gitDirOf = ({ folder }: Shadow): string => join(folder, "git");
export const indexOf = (shadow: Shadow): string => join(gitDirOf(shadow), "index");

/** Returns git's output. Rejects if git fails. */
export async function shadowGit(shadow: Shadow, args: readonly string[], call: ShadowCall = {}): Promise<Buffer> {
  const { gitFile, stop } = shadow;
  const workTree = call.workTree ?? shadow.workTree.top;
  const answer = await runGit(
    gitFile,
    {
      args: [...SETTINGS.flatMap((setting) => ["-c", setting]), ...ignoreFileOf(shadow), ...args],
      cwd: workTree,
      env: {
        ...NO_CONFIG,
        GIT_DIR: gitDirOf(shadow),
        GIT_WORK_TREE: workTree,
        GIT_INDEX_FILE: call.index ?? indexOf(shadow),
      },
      ...(call.input === undefined ? {} : { input: call.input }),
    },
    stop,
  );
  if (!(call.codes ?? [0]).includes(answer.code)) {
    throw gitFailure({ args }, `ended with exit code ${answer.code}: ${answer.stderr}`);
  }
  return answer.stdout;
}

function ignoreFileOf(shadow: Shadow): readonly string[] {
  return ["-c", `core.excludesFile=${join(gitDirOf(shadow), "info", "ignore")}`];
}

/**
 * Creates the repository if it is missing or incomplete, and copies the user's ignore rules. Call this under the lock.
 */
export async function prepareShadow(shadow: Shadow): Promise<void> {
  const gitDir = gitDirOf(shadow);
  const whole = join(shadow.folder, "whole");
  if (!(await exists(whole)) || !(await exists(join(gitDir, "HEAD")))) {
    await rm(gitDir, { recursive: true, force: true });
    await shadowGit(shadow, ["init", "--quiet", "--template=", `--object-format=${await objectFormat(shadow)}`]);
    await writeFile(whole, `${shadow.workTree.top}\n`, { mode: 0o600 });
  }
  await sweepIndexes(shadow);
  await makeFolder(join(gitDir, "info"));
  await writeFile(join(gitDir, "info", "attributes"), ATTRIBUTES);
  await mirrorIgnoreRules(shadow);
}

/**
 * Returns the object format of the user's repository, because the shadow could not read an index of another format.
 * Reading a setting runs no program.
 */
async function objectFormat({ gitFile, workTree, stop }: Shadow): Promise<string> {
  const args = ["config", "--file", join(workTree.commonDir, "config"), "--get", "extensions.objectFormat"];
  const { stdout } = await runGit(gitFile, { args, cwd: workTree.top, env: NO_CONFIG }, stop);
  return stdout.toString("utf8").trim() === "sha256" ? "sha256" : "sha1";
}

/** Creates a folder that only the user can access, because it contains copies of files. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
}

/** Copies the user's ignore rules. Rules in `.gitignore` files are read in place. */
async function mirrorIgnoreRules(shadow: Shadow): Promise<void> {
  const { workTree, folder } = shadow;
  const info = join(gitDirOf(shadow), "info");
  const exclude = await readRegular(join(workTree.commonDir, "info", "exclude"), MAX_IGNORE_BYTES);
  await writeFile(join(info, "exclude"), Buffer.concat([exclude ?? Buffer.alloc(0), ownFolder(workTree.top, folder)]));
  const file = await userIgnoreFile(shadow);
  const ignore = file === undefined ? undefined : await readRegular(file, MAX_IGNORE_BYTES);
  await writeFile(join(info, "ignore"), ignore ?? "");
}

/** Returns the pattern for hookbox's own folder. Snapshots in a home that is a repository are not captured. */
function ownFolder(top: string, folder: string): Buffer {
  const inside = relative(top, folder);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return Buffer.alloc(0);
  const snapshots = inside.split(sep).slice(0, -1).join("/");
  return Buffer.from(`\n/${snapshots.replace(/[\\*?[\]!# ]/g, "\\$&")}/\n`);
}

/** Returns the file that the user's or the repository's `core.excludesFile` names. Runs no program. */
async function userIgnoreFile({ gitFile, workTree, stop }: Shadow): Promise<string | undefined> {
  const args = ["config", "--null", "--type=path", "--get", "core.excludesFile"];
  const { code, stdout } = await runGit(gitFile, { args, cwd: workTree.top, env: {} }, stop);
  const named = stdout.toString("utf8").replace(/\0$/, "");
  if (code === 0) return isAbsolute(named) ? named : join(workTree.top, named);
  const { XDG_CONFIG_HOME: configured = "" } = callersEnvironment();
  return join(isAbsolute(configured) ? configured : join(homedir(), ".config"), "git", "ignore");
}

/**
 * Runs `work` with its own copy of the index, and then replaces the shadow's index with the copy. A git process that
 * outlives a killed hookbox only writes to its own copy.
 */
export async function withOwnIndex<Value>(shadow: Shadow, work: (index: string) => Promise<Value>): Promise<Value> {
  const published = indexOf(shadow);
  const index = `${published}.${randomBytes(6).toString("hex")}`;
  try {
    await copyIndex(published, index);
    const value = await work(index);
    if (await exists(index)) await rename(index, published);
    return value;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

/** Publishes the work so far, in case the process is killed. */
export async function publishIndex(shadow: Shadow, index: string): Promise<void> {
  const draft = `${index}.draft`;
  await copyIndex(index, draft);
  await rename(draft, indexOf(shadow));
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    // Git compares the times of files with the time of the index to find files that changed right afterwards. The time
    // is rounded down to seconds, because a time that is slightly too old only causes a second read.
    const { mtimeMs } = await stat(from);
    const seconds = Math.floor(mtimeMs / 1_000);
    await utimes(to, seconds, seconds);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Removes indexes of killed processes. Runs under the lock, so that no living process uses them. */
async function sweepIndexes(shadow: Shadow): Promise<void> {
  const gitDir = gitDirOf(shadow);
  for (const name of await readdir(gitDir)) {
    if (/^(?:shared)?index\./.test(name)) await rm(join(gitDir, name), { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
