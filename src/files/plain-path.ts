/** A path below a folder, in a form that every system reads in the same way. */

/** The limit of most file systems for a name, and Linux's limit for a path. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4_096;

export type PlainPath =
  | { readonly ok: true; readonly parts: readonly string[] }
  /** The refusal. `message` completes a sentence: "has an empty part". */
  | { readonly ok: false; readonly message: string; readonly limit?: number; readonly value?: number };

/** Matches names that Windows reads as a stream, as a name without its last character, or as a device. */
const WINDOWS = /[:*?"<>|]|[. ]$|^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Splits a path at `/`. Refuses parts that some system does not read as a plain name: `.`, `..`, empty parts (and so
 * absolute paths), backslashes, NUL, invalid Unicode.
 */
export function plainPath(path: string, platform: NodeJS.Platform = process.platform): PlainPath {
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_PATH_BYTES) return tooLong("is", bytes, MAX_PATH_BYTES);
  if (LONE_SURROGATE.test(path)) return bad("is not well-formed Unicode");
  if (path.includes("\0")) return bad("has a NUL character in it");
  if (path.includes("\\")) return bad("has a backslash in it");
  if (path.startsWith("/")) return bad("is absolute");
  const parts = path.split("/");
  for (const part of parts) {
    if (part === "") return bad("has an empty part");
    if (part === "." || part === "..") return bad(`has the part "${part}"`);
    const size = Buffer.byteLength(part);
    if (size > MAX_NAME_BYTES) return tooLong("has a part that is", size, MAX_NAME_BYTES);
    if (platform === "win32" && WINDOWS.test(part)) return bad("has a part that Windows reads as something else");
  }
  return { ok: true, parts };
}

function bad(message: string): PlainPath {
  return { ok: false, message };
}

function tooLong(what: string, value: number, limit: number): PlainPath {
  return { ok: false, message: `${what} ${value} bytes long; the limit is ${limit}`, limit, value };
}
