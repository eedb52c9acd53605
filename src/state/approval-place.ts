import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../cache/cache-folder.ts";
import { homeFolder } from "../cache/home-folder.ts";
import { accountHome, realPath } from "../project-folder.ts";

/** No system opens a longer path, and following its links would take seconds. */
const MAX_PATH_LENGTH = 4_096;

/**
 * Returns the folder of the user's approvals. The folder is in the home folder of the account, because a repository can
 * set the environment of an agent's hooks and could name a folder with an approval of its own.
 */
export function approvalFolder(): string {
  return join(accountHome() ?? homeFolder(), ".local", "state", "hookbox", "trust");
}

/** Returns the path without links in its folders, so that a project has the same approvals through a link. */
export function approvedPath(file: string): string {
  return join(realPath(dirname(file)), basename(file));
}

/** Returns the path of the approval of a file, which exists only if the user has approved the file. */
export function approvalPlace(file: string, agent: string | null, folder: string = approvalFolder()): string {
  return join(folder, `${sha256(JSON.stringify([approvedPath(file), agent]))}.json`);
}

/** Whether the user has approved a file. Its approved content is in force even if there is no such file any more. */
export function isApproved(file: string, agent: string | null): boolean {
  const folder = approvalFolder();
  return file.length <= MAX_PATH_LENGTH && existsSync(folder) && existsSync(approvalPlace(file, agent, folder));
}
