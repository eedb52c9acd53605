import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { isJsonObject, type JsonObject } from "../../event.ts";
import type { BuiltinCall } from "./builtin.ts";

/** The file that an event is about. */
export interface ChangedFile {
  /** Absolute, as the event has it. */
  readonly path: string;
  /** From the working directory, with slashes. */
  readonly name: string;
  readonly isGone: boolean;
}

const PATH_FIELDS = ["file_path", "path", "notebook_path"];

/** Of tools, by whatever name they are known: a file that was only read is none of these hooks' business. */
const CHANGES_FILES = /write|edit|create|patch|append|replace|insert|delete|remove/i;

/**
 * `undefined` where nothing was changed, for a tool that failed, and for everything outside of the working directory,
 * also by way of a link.
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
