import type { JsonObject, JsonValue } from "../json.ts";

/** Returns whether a path needs no directory. `~` is the user's home for most tools. */
function isPlaced(path: string): boolean {
  return /^(?:[/\\]|~(?:\/|$)|[A-Za-z]:[/\\])/.test(path);
}

/** Returns a path from a directory on. Keeps `..`, because a link before it may lead elsewhere. */
export function placed(directory: string | undefined, path: string): string {
  if (directory === undefined || isPlaced(path)) return path;
  return directory.endsWith("/") ? `${directory}${path}` : `${directory}/${path}`;
}

/** Returns the event's directory, if it is absolute. */
export function directoryOf({ cwd }: JsonObject): string | undefined {
  return typeof cwd === "string" && isPlaced(cwd) ? cwd : undefined;
}

/** Whether a value names a directory. Tools treat these values like a missing field. */
export function namesDirectory(value: JsonValue): boolean {
  return value !== null && value !== "" && value !== ".";
}

/** Returns the directory that a value names. `undefined` for a value that a tool or a shell could read in other ways. */
export function namedDirectory(event: string | undefined, value: JsonValue): string | undefined {
  if (typeof value !== "string" || value.length > MAX_PATH_LENGTH || /[$`\n\0]/.test(value)) return undefined;
  return placed(event, value);
}

/** The maximum length of a path in Linux is shorter. */
export const MAX_PATH_LENGTH = 4_096;

/** Returns the path of a `file:` URL. */
export function pathOfUrl(url: string): string | undefined {
  const [, path] = /^file:(?:\/\/[^/]*)?(.*)$/is.exec(url) ?? [];
  if (path === undefined) return undefined;
  try {
    return decodeURIComponent(path.replace(/[?#].*$/s, ""));
  } catch {
    return path;
  }
}
