import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import { accountHome, environmentHome } from "../../../project-folder.ts";

/** Paths with `/`, normalized. Links are not resolved, because the target of a link may change before the tool runs. */

const DRIVE = /^([A-Za-z]):(?=[\\/]|$)/;

/** Fields in which agents' tools name the working directory of a call. */
const DIRECTORY_FIELDS = ["cwd", "workdir", "directory", "working_directory", "dir_path"];

export function agentsDirectory({ cwd }: JsonObject): string | undefined {
  return typeof cwd === "string" && cwd !== "" ? cwd : undefined;
}

/**
 * Returns the possible base directories for relative paths of a call: the agent's directory, and directories that the
 * call names. `undefined` in the list is an unknown directory. `apart` lists fields that do not name the call's
 * directory.
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

/** Returns all places that a path of a tool's input may mean. The places are absolute if the base is known. */
export function placesOf(path: string, cwd: string | undefined): readonly string[] {
  // On systems other than Windows, a backslash is an ordinary character. The payload does not name the system.
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

/** Returns a working directory as an absolute path. */
export function folder(cwd: string): string {
  return posix.resolve("/", rootOf(cwd.includes("\\") && DRIVE.test(cwd) ? cwd.replaceAll("\\", "/") : cwd));
}

/** Converts `C:/x` to `/c/x`. */
export function rootOf(path: string): string {
  const spelled = DRIVE.test(path) ? path.replaceAll("\\", "/") : path;
  return spelled.normalize("NFC").replace(DRIVE, (_, drive: string) => `/${drive.toLowerCase()}`);
}

/**
 * Returns the possible expansions of `~/…`: in `HOME`, which agents use, and in the account's home. A changed `HOME`
 * must not make a condition check another place.
 */
export function inHomes(path: string): readonly string[] {
  const homes = [environmentHome() ?? "/", accountHome() ?? environmentHome() ?? "/"];
  return [...new Set(homes.map((home) => posix.join(folder(home), path.slice(1))))];
}
