import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "../../../event.ts";
import { accountHome, environmentHome } from "../../../project-folder.ts";

/** Paths with `/`, without detours. Links are not followed: what a path leads to may change before the tool runs. */

const DRIVE = /^([A-Za-z]):(?=[\\/]|$)/;

/** Where agents' tools name the directory of one call. */
const DIRECTORY_FIELDS = ["cwd", "workdir", "directory", "working_directory", "dir_path"];

export function agentsDirectory({ cwd }: JsonObject): string | undefined {
  return typeof cwd === "string" && cwd !== "" ? cwd : undefined;
}

/**
 * What relative paths of a call may be counted from: the agent's directory, and those that the call names for itself, which
 * are counted from it. `undefined`: a directory that nobody knows. `apart`: fields that are not about the call's directory.
 */
export function workingDirectories(
  payload: JsonObject,
  apart: readonly string[] = [],
): readonly (string | undefined)[] {
  const agents = agentsDirectory(payload);
  const { tool_input: input } = payload;
  const fields = DIRECTORY_FIELDS.filter((field) => !apart.includes(field));
  const named = isJsonObject(input) ? fields.map((field) => input[field]) : [];
  const own = named
    .filter((value) => value !== undefined && value !== null && value !== "")
    .flatMap((value): readonly (string | undefined)[] =>
      typeof value === "string" ? placesOf(value, agents) : [undefined],
    );
  return [...new Set([agents, ...own.map((one) => (one?.startsWith("/") ? one : undefined))])];
}

/** All that the path of a tool's input may mean; absolute where that can be told. */
export function placesOf(path: string, cwd: string | undefined): readonly string[] {
  // On other systems a backslash is a character like others, and the payload does not say which system it is.
  const spellings = path.includes("\\") ? [path, path.replaceAll("\\", "/")] : [path];
  const places = spellings.flatMap((spelling) => {
    const homely = /^~(?=\/|$)/.test(spelling) ? inHomes(spelling) : [];
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

/** What `~/…` may stand for: an agent goes by `HOME`, and whoever sets that must not make a condition look elsewhere. */
export function inHomes(path: string): readonly string[] {
  const homes = [environmentHome() ?? "/", accountHome() ?? environmentHome() ?? "/"];
  return [...new Set(homes.map((home) => posix.join(folder(home), path.slice(1))))];
}
