import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { BuiltinCall } from "./builtin.ts";

/** The file that an event changed. */
export interface ChangedFile {
  /** The absolute path, as the event names it. */
  readonly path: string;
  /** The path relative to the working directory, with slashes. */
  readonly name: string;
  readonly isGone: boolean;
}

const PATH_FIELDS = ["file_path", "path", "notebook_path"];

/** Matches names of tools that change files. Files that a tool only read do not concern these hooks. */
const CHANGES_FILES = /write|edit|create|patch|append|replace|insert|delete|remove/i;

/**
 * Returns the changed file. Returns `undefined` if no file was changed, if the tool failed, or if the file is outside
 * of the working directory, also through a link.
 */
export async function changedFile(call: BuiltinCall): Promise<ChangedFile | undefined> {
  const named = pathOf(call);
  if (named === undefined || named.includes("\0")) return undefined;
  const path = resolve(call.workingDir, named);
  const name = relative(call.workingDir, path);
  if (isOutside(name)) return undefined;
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) return undefined;
    const [top, real] = await Promise.all([realpath(call.workingDir), realpath(path)]);
    if (isOutside(relative(top, real))) return undefined;
    return { path, name: name.split(sep).join("/"), isGone: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return undefined;
    return { path, name: name.split(sep).join("/"), isGone: true };
  }
}

function isOutside(name: string): boolean {
  return name === "" || name === ".." || name.startsWith(`..${sep}`) || isAbsolute(name);
}

function pathOf({ event }: BuiltinCall): string | undefined {
  const { payload } = event;
  if (event.name !== "PostToolUse") return firstPath(payload);
  const { tool_name: tool, tool_input: input, tool_success: success, tool_error: error } = payload;
  const names = [...(typeof tool === "string" ? [tool] : []), ...(event.toolNames ?? [])];
  if (success === false || error === true || !names.some((name) => CHANGES_FILES.test(name))) return undefined;
  return isJsonObject(input) ? firstPath(input) : undefined;
}

function firstPath(fields: JsonObject): string | undefined {
  const values = PATH_FIELDS.map((field) => fields[field]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
