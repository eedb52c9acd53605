import { posix } from "node:path";
import { type HookEvent, isJsonObject } from "../../../event.ts";
import { textsIn } from "../specifier.ts";
import { MAX_PATH_LENGTH } from "./glob.ts";
import { agentsDirectory, folder, placesOf, workingDirectories } from "./place.ts";

/** One path of a tool's input. */
export interface ReadPath {
  readonly path: string;
  /** Empty if the path is too long or contains NUL. */
  readonly places: readonly ReadPlace[];
}

/** One place that a path may mean. */
export interface ReadPlace {
  readonly place: string;
  /**
   * The place relative to the working directory. `undefined` if there is no working directory, or if the place is not
   * absolute.
   */
  readonly relative: string | undefined;
}

const remembered = new WeakMap<HookEvent, Map<readonly string[], readonly ReadPath[] | undefined>>();

/**
 * Returns the paths in the given fields of the tool's input, or `undefined` if they cannot be read. The result is
 * computed once for all rules of an event.
 */
export function readPaths(event: HookEvent, fields: readonly string[]): readonly ReadPath[] | undefined {
  const known = remembered.get(event) ?? new Map<readonly string[], readonly ReadPath[] | undefined>();
  remembered.set(event, known);
  if (!known.has(fields)) known.set(fields, read(event, fields));
  return known.get(fields);
}

function read({ payload }: HookEvent, fields: readonly string[]): readonly ReadPath[] | undefined {
  const input = payload["tool_input"];
  const paths = isJsonObject(input) ? textsIn(input, fields) : undefined;
  const cwd = agentsDirectory(payload);
  const home = cwd === undefined ? undefined : folder(cwd);
  const from = workingDirectories(payload, fields);
  const relativeTo = (place: string): string | undefined =>
    home === undefined || !place.startsWith("/") ? undefined : posix.relative(home, place);
  return paths?.map((path) => {
    const isUsual = path.length <= MAX_PATH_LENGTH && !path.includes("\u0000");
    const places = isUsual ? new Set(from.flatMap((directory) => placesOf(path, directory))) : [];
    return { path, places: [...places].map((place) => ({ place, relative: relativeTo(place) })) };
  });
}
