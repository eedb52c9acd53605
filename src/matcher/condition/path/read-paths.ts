import { posix } from "node:path";
import type { HookEvent } from "../../../event.ts";
import { isJsonObject } from "../../../json.ts";
import type { ReadPath } from "../specifier.ts";
import { textsIn } from "../specifier.ts";
import { MAX_PATH_LENGTH } from "./compile-glob.ts";
import { agentsDirectory, folder, placesOf, workingDirectories } from "./place.ts";

const remembered = new WeakMap<HookEvent, Map<readonly string[], readonly ReadPath[] | undefined>>();

/**
 * Returns the paths in the given fields of the tool's input. Returns `undefined` if the paths cannot be read. All rules
 * of an event share the result.
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
