import { existsSync } from "node:fs";
import { join, parse, resolve, sep } from "node:path";
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

/** Where an approval of a file may be. */
export interface ApprovalPlace {
  /** The path of the file, under which the user has approved the file. */
  readonly path: string;
  readonly place: string;
}

/**
 * Returns the places of a file's approvals: first for the path as written, last for the path without links. A project
 * has the same approvals through a link. A folder that becomes a link to another folder keeps its approvals, because the
 * agent could otherwise remove the rules of its project.
 */
export function approvalPlaces(file: string, agent: string | null, folder: string): readonly ApprovalPlace[] {
  const paths = new Set<string>();
  const full = resolve(file);
  const { root } = parse(full);
  const parts = full.slice(root.length).split(sep);
  for (let length = 0; length < parts.length; length += 1)
    paths.add(join(realPath(join(root, ...parts.slice(0, length))), ...parts.slice(length)));
  return [...paths].map((path) => ({ path, place: join(folder, `${sha256(JSON.stringify([path, agent]))}.json`) }));
}

/** Returns the place of the approval in force, otherwise of a new approval. */
export function approvalPlace(file: string, agent: string | null, folder: string = approvalFolder()): ApprovalPlace {
  const places = approvalPlaces(file, agent, folder);
  return places.find(({ place }) => existsSync(place)) ?? (places.at(-1) as ApprovalPlace);
}

/** Whether the user has approved a file. Its approved content is in force even if there is no such file any more. */
export function isApproved(file: string, agent: string | null): boolean {
  const folder = approvalFolder();
  return file.length <= MAX_PATH_LENGTH && existsSync(folder) && existsSync(approvalPlace(file, agent, folder).place);
}
