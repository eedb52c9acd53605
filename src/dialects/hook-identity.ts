import { isAbsolute } from "node:path";
import { isJsonObject } from "../json.ts";
import type { ConfigDocument, ParseContext } from "./dialect.ts";

/** Returns the scope within which identical hooks are one hook and run once. */
export type IdentityScope = (document: ConfigDocument, context: ParseContext) => string;

/**
 * Returns everything that was configured for a hook as one text. Hooks with the same text are one hook. The order of
 * keys does not count, the order of lists does. An empty list or object equals a missing one. An explicit default
 * differs from a missing value.
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
  // Entries are pairs, because an object would reorder keys that look like numbers and lose the key `__proto__`.
  return { entries: entries.map(([key, item]) => [key, canonical(item)]) };
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/**
 * Returns the folder that a hook's command or working directory is relative to. Returns `undefined` if the folder makes
 * no difference.
 */
export function folderThatCounts(
  { command, args, workingDir }: { readonly command?: unknown; readonly args?: unknown; readonly workingDir?: unknown },
  baseDir: string,
): string | undefined {
  const isExec = args !== undefined && typeof command === "string";
  const counts =
    (isExec && /[/\\]/.test(command) && !isAbsolute(command)) || (typeof workingDir === "string" && workingDir !== "");
  return counts ? baseDir : undefined;
}
