import { isAbsolute } from "node:path";
import { isJsonObject } from "../event.ts";
import type { ConfigDocument, ParseContext } from "./dialect.ts";

/** Where a hook that is written twice is one hook, and runs once. */
export type IdentityScope = (document: ConfigDocument, context: ParseContext) => string;

/**
 * Everything that was configured of a hook, as one text: two hooks with the same one are one hook. The order of keys
 * does not count, that of lists does. An empty list or object is as good as none; a default that is spelled out is not.
 */
export function identityOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts.map(canonical));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, item]) => !isNothing(item))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  // As pairs: an object would put keys that look like numbers first, and lose one called `__proto__`.
  return { entries: entries.map(([key, item]) => [key, canonical(item)]) };
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** The folder that a hook's command or working directory is counted from, where they say another thing in another one. */
export function folderThatCounts(
  { command, args, workingDir }: { readonly command?: unknown; readonly args?: unknown; readonly workingDir?: unknown },
  baseDir: string,
): string | undefined {
  const isExec = args !== undefined && typeof command === "string";
  const counts =
    (isExec && /[/\\]/.test(command) && !isAbsolute(command)) || (typeof workingDir === "string" && workingDir !== "");
  return counts ? baseDir : undefined;
}
