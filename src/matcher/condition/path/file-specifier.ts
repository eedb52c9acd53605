import type { Steps } from "../../steps.ts";
import type { ReadPath, ReadPlace } from "../specifier.ts";
import { type CompiledSpecifier, doubt, type Fit, shown } from "../specifier.ts";
import { compileGlob, type PathGlob } from "./compile-glob.ts";
import { inHomes, rootOf } from "./place.ts";

/**
 * A path pattern whose start is read as in `.gitignore`, except that `//` is the root, `~/` the home, and `/` the working
 * directory.
 */
interface PathPattern {
  readonly glob: PathGlob;
  readonly from: "anywhere" | "root" | "cwd" | "some cwd";
  /** Whether the pattern contains `..`. */
  readonly climbs: boolean;
}

export function fileSpecifier(text: string, readsBelow: boolean): CompiledSpecifier {
  if (text.startsWith("!")) {
    return { ok: false, message: `"${text}" is a negated path pattern`, hint: "a condition cannot be negated" };
  }
  const patterns: PathPattern[] = [];
  // A backslash separates folders on Windows, and escapes a character on other systems.
  const spellings = text.includes("\\") ? [text, text.replaceAll("\\", "/")] : [text];
  for (const { glob, from, spelling } of spellings.flatMap((one, spelling) =>
    anchored(one).map((pattern) => ({ ...pattern, spelling })),
  )) {
    const compiled = compileGlob(glob);
    if (!compiled.ok && spelling > 0) continue;
    if (!compiled.ok) return compiled;
    const climbs = glob.includes("..");
    patterns.push({ glob: compiled.glob, from, climbs });
    // If the working directory is unknown, any folder may be the pattern's base.
    const adrift = from === "cwd" ? compileGlob(`**/${glob.replace(/^(\.\.\/)+/, "")}`) : undefined;
    if (adrift?.ok === false) return adrift;
    if (adrift !== undefined) patterns.push({ glob: adrift.glob, from: "some cwd", climbs });
  }
  return { ok: true, specifier: (_, { paths }, steps) => matchPaths(patterns, paths(), readsBelow, steps) };
}

function anchored(text: string): { glob: string; from: PathPattern["from"] }[] {
  const pattern = rootOf(text);
  if (pattern.startsWith("//")) return [{ glob: tidy(pattern.slice(1)), from: "root" }];
  if (/^~(\/|$)/.test(pattern))
    return inHomes("~").map((home) => ({ glob: escapeGlob(home) + tidy(pattern.slice(1)), from: "root" as const }));
  if (pattern !== text.normalize("NFC")) return [{ glob: tidy(pattern), from: "root" }];
  // Many users write `/etc/**` for the absolute path, so the pattern is also compiled as an absolute path.
  if (pattern.startsWith("/")) {
    return [
      { glob: tidy(pattern.slice(1)), from: "cwd" },
      { glob: tidy(pattern), from: "root" },
    ];
  }
  const isName = !pattern.replace(/\/+$/, "").includes("/");
  const glob = tidy(pattern);
  if (isName && glob !== ".." && glob !== ".") return [{ glob: `**/${glob}`, from: "anywhere" }];
  return [{ glob, from: glob.startsWith("**/") ? "anywhere" : "cwd" }];
}

/** Removes `./`, repeated slashes and a slash at the end. */
function tidy(pattern: string): string {
  const isRooted = pattern.startsWith("/");
  const parts: string[] = [];
  for (const part of pattern.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && !/[*?[\]{}(),|\\]|^\.\.$/.test(parts.at(-1) ?? "")) parts.pop();
    else parts.push(part);
  }
  return `${isRooted ? "/" : ""}${parts.join("/")}` || "**";
}

function escapeGlob(path: string): string {
  return path.replace(/[*?[\]{}(),|\\]/g, "\\$&");
}

function matchPaths(
  patterns: readonly PathPattern[],
  paths: readonly ReadPath[] | undefined,
  readsBelow: boolean,
  steps: Steps,
): Fit {
  if (paths === undefined) return doubt("the payload has no path");
  for (const { path, places } of paths) {
    if (places.length === 0) return doubt("the path is too long, or contains NUL");
    const hit = places.some((place) => patterns.some((pattern) => touches(pattern, place, readsBelow, steps)));
    if (hit) return { fits: true, why: `matches the path "${shown(path)}"` };
  }
  return { fits: false, why: `does not match the path "${paths.map(({ path }) => shown(path)).join('", "')}"` };
}

function touches(pattern: PathPattern, { place, relative }: ReadPlace, readsBelow: boolean, steps: Steps): boolean {
  const { glob, from, climbs } = pattern;
  const fits = (path: string): boolean => glob.contains(path, steps) || (readsBelow && glob.reachesInto(path, steps));
  if (from === "anywhere") return fits(place.replace(/^\//, ""));
  const isAdrift = !place.startsWith("/");
  if (from === "root") return isAdrift || fits(place);
  if (from === "some cwd") return (isAdrift || relative === undefined) && fits(place.replace(/^\/|^(\.\.\/)+/, ""));
  if (isAdrift) return fits(place);
  if (relative === undefined) return false;
  if (relative === "") return readsBelow || fits(".");
  // A search above the working directory also reads the working directory.
  if (/^\.\.(\/|$)/.test(relative) && !climbs) return readsBelow && /^(\.\.\/?)+$/.test(relative);
  return fits(relative);
}
