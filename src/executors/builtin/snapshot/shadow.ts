import { createHash, randomBytes } from "node:crypto";
import { access, chmod, copyFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { devNull, homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { gitFailure, NO_CONFIG, runGit } from "./git.ts";
import { readRegular, type WorkTree } from "./work-tree.ts";

/**
 * A repository of our own beside the user's, with the same work tree: own configuration, own index, own objects. What
 * the user's files or configuration say about programs to run has no effect here.
 */

export interface Shadow {
  readonly workTree: WorkTree;
  /** Its folder: `git/`, `lock`, the list of checkpoints. */
  readonly folder: string;
  readonly gitFile: string;
  readonly stop: StopSignal;
}

interface ShadowCall {
  readonly input?: Buffer;
  /** Default: ours, as the last capture left it. */
  readonly index?: string;
  /** In the place of the user's. */
  readonly workTree?: string;
  /** Exit codes that are no failure. Default: 0. */
  readonly codes?: readonly number[];
}

const MAX_IGNORE_BYTES = 1_048_576;

// No text conversion of any kind, and no program that a `.gitattributes` may call for: this file goes before those.
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

/** By the real path of the work tree, so that whichever way leads there, it is the same one. */
export function shadowFolder(snapshotsFolder: string, { top }: Pick<WorkTree, "top">): string {
  return join(snapshotsFolder, createHash("sha256").update(top).digest("hex").slice(0, 32));
}

export const gitDirOf = ({ folder }: Shadow): string => join(folder, "git");
export const indexOf = (shadow: Shadow): string => join(gitDirOf(shadow), "index");

/** What git wrote to stdout. Rejects when it failed. */
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

/** Makes the repository unless it is there and whole, and takes over what the user ignores. Under the lock. */
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

/** That of the user's repository, or its index could not be read. To ask for a setting runs nothing. */
async function objectFormat({ gitFile, workTree, stop }: Shadow): Promise<string> {
  const args = ["config", "--file", join(workTree.commonDir, "config"), "--get", "extensions.objectFormat"];
  const { stdout } = await runGit(gitFile, { args, cwd: workTree.top, env: NO_CONFIG }, stop);
  return stdout.toString("utf8").trim() === "sha256" ? "sha256" : "sha1";
}

/** The user's own folder, and nobody else's: it holds copies of files. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
}

/** What stands in `.gitignore` files is read where it is. */
async function mirrorIgnoreRules(shadow: Shadow): Promise<void> {
  const { workTree, folder } = shadow;
  const info = join(gitDirOf(shadow), "info");
  const exclude = await readRegular(join(workTree.commonDir, "info", "exclude"), MAX_IGNORE_BYTES);
  await writeFile(join(info, "exclude"), Buffer.concat([exclude ?? Buffer.alloc(0), ownFolder(workTree.top, folder)]));
  const file = await userIgnoreFile(shadow);
  const ignore = file === undefined ? undefined : await readRegular(file, MAX_IGNORE_BYTES);
  await writeFile(join(info, "ignore"), ignore ?? "");
}

/** Of a home folder that is a repository, the snapshots are no part of themselves. */
function ownFolder(top: string, folder: string): Buffer {
  const inside = relative(top, folder);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return Buffer.alloc(0);
  const snapshots = inside.split(sep).slice(0, -1).join("/");
  return Buffer.from(`\n/${snapshots.replace(/[\\*?[\]!# ]/g, "\\$&")}/\n`);
}

/** The file that `core.excludesFile` of the user or the repository names. To ask for a setting runs nothing. */
async function userIgnoreFile({ gitFile, workTree, stop }: Shadow): Promise<string | undefined> {
  const args = ["config", "--null", "--type=path", "--get", "core.excludesFile"];
  const { code, stdout } = await runGit(gitFile, { args, cwd: workTree.top, env: {} }, stop);
  const named = stdout.toString("utf8").replace(/\0$/, "");
  if (code === 0) return isAbsolute(named) ? named : join(workTree.top, named);
  const { XDG_CONFIG_HOME: configured = "" } = process.env;
  return join(isAbsolute(configured) ? configured : join(homedir(), ".config"), "git", "ignore");
}

/**
 * Runs `work` on an index of its own, which takes the place of the shadow's afterwards. A git that outlived a killed
 * process still writes to the one that it was given, and so to nobody else's.
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

/** What was done so far counts, should the process be killed now. */
export async function publishIndex(shadow: Shadow, index: string): Promise<void> {
  const draft = `${index}.draft`;
  await copyIndex(index, draft);
  await rename(draft, indexOf(shadow));
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    // Git compares files with the age of its index to find those that may have changed right after. Whole seconds,
    // rounded down: a little too old only costs a second look.
    const { mtimeMs } = await stat(from);
    const seconds = Math.floor(mtimeMs / 1_000);
    await utimes(to, seconds, seconds);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Indexes that killed processes left behind. Under the lock, so that nobody is at work on one but by mistake. */
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
