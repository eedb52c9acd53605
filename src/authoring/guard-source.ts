import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HookError } from "../errors.ts";

/** Finds a guard's source and its language. */

type Language = "typescript" | "c" | "rust";

export interface GuardSource {
  readonly language: Language;
  /** The absolute path without symbolic links. Paths in a build's result are relative to this folder. */
  readonly folder: string;
  /** The file that is passed to the compiler. */
  readonly file: string;
}

const NAMES: Readonly<Record<string, Language>> = {
  "guard.ts": "typescript",
  "guard.mts": "typescript",
  "guard.js": "typescript",
  "guard.mjs": "typescript",
  "guard.c": "c",
  "Cargo.toml": "rust",
};

const SUFFIXES: readonly (readonly [RegExp, Language])[] = [
  [/\.[cm]?[jt]s$/, "typescript"],
  [/\.c$/, "c"],
];

const WHAT = "guard.ts, guard.js, guard.c or Cargo.toml";

/** Finds the source at a path: a file, or a folder with exactly one source. Throws `HOOK_BUILD_NOT_FOUND`. */
export async function findSource(path: string): Promise<GuardSource> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw notFound(`${path} does not exist`, "name a guard's file or its folder");
  if ((await stat(real)).isDirectory()) {
    const [found, another] = await sourcesIn(real);
    if (found === undefined)
      throw notFound(`there is no guard in ${path}`, `expected a folder with ${WHAT}; hookbox new creates one`);
    if (another !== undefined) {
      const names = `${basename(found.file)} and ${basename(another.file)}`;
      throw notFound(`${path} has ${names}, and a guard has one source`, "name the file, or move one of them away");
    }
    return found;
  }
  const name = basename(real);
  const language = NAMES[name] ?? SUFFIXES.find(([suffix]) => suffix.test(name))?.[1];
  if (language === undefined) throw notFound(`${path} is not a guard's source`, `expected ${WHAT}, or a folder`);
  return { language, folder: dirname(real), file: real };
}

/** Returns the sources in a folder, without its subfolders. The caller checks that there is exactly one. */
export async function sourcesIn(folder: string): Promise<readonly GuardSource[]> {
  const entries = await readdir(folder);
  return Object.entries(NAMES).flatMap(([name, language]) =>
    entries.includes(name) ? [{ language, folder, file: join(folder, name) }] : [],
  );
}

function notFound(message: string, hint: string): HookError {
  return new HookError("HOOK_BUILD_NOT_FOUND", message, { hint });
}
