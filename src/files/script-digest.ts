import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isJsonObject, parseJsonObject } from "../json.ts";
import { digestOfFile } from "./file-digest.ts";

/** Digests of what a command runs: files, and scripts of a `package.json`, which are named `package.json#NAME`. */

const PACKAGE_FILE = "package.json";
const MARK = `${PACKAGE_FILE}#`;

/** Returns the name for a script of the `package.json` in a folder. */
export function packageScript(folder: string | undefined, name: string): string {
  return `${folder === undefined ? "" : `${folder}/`}${MARK}${name}`;
}

/** Returns the absolute place that a path has in a folder. Package managers use the next `package.json` above. */
export function scriptPlace(folder: string, path: string): string {
  const place = resolve(folder, path);
  if (!path.includes(MARK)) return place;
  const [file, name] = splitPlace(place) as readonly [string, string];
  for (let at = dirname(file); ; at = dirname(at)) {
    if (existsSync(join(at, PACKAGE_FILE))) return join(at, MARK + name);
    if (dirname(at) === at) return place;
  }
}

function splitPlace(place: string): readonly [file: string, name: string] | undefined {
  const at = place.lastIndexOf(MARK);
  return at === -1 ? undefined : [place.slice(0, at + PACKAGE_FILE.length), place.slice(at + MARK.length)];
}

/** Returns the file of a place. */
export function scriptFile(place: string): string {
  return splitPlace(place)?.[0] ?? place;
}

/** Returns the texts that a package manager runs for a script, in their order. Empty if there is no such script. */
export async function packageTexts(place: string): Promise<readonly string[]> {
  const [file, name] = splitPlace(place) ?? [place, ""];
  try {
    const { scripts } = parseJsonObject(await readFile(file, "utf8")) ?? {};
    if (!isJsonObject(scripts) || typeof scripts[name] !== "string") return [];
    return [`pre${name}`, name, `post${name}`].flatMap((one) =>
      typeof scripts[one] === "string" ? [scripts[one]] : [],
    );
  } catch {
    return [];
  }
}

/**
 * Returns the digest of a place; `undefined` if it does not exist. The digest of a package's script covers the scripts
 * that run before and after it, and the `.npmrc` that can name another shell.
 */
export async function digestOfScript(place: string): Promise<string | undefined> {
  const [file] = splitPlace(place) ?? [];
  if (file === undefined) return digestOfFile(place);
  const texts = await packageTexts(place);
  if (texts.length === 0) return undefined;
  const settings = (await digestOfFile(join(dirname(file), ".npmrc"))) ?? null;
  return createHash("sha256")
    .update(JSON.stringify([texts, settings]))
    .digest("hex");
}
