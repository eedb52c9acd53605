import { isAbsolute } from "node:path";
import { compileGlob } from "../../matcher/condition/path/compile-glob.ts";

/** A model's pattern for paths in the confined folder. */
interface FilePattern {
  /** The folder that contains all matching paths. Empty for the root. */
  readonly start: string;
  /** Whether a path fits. Paths are relative to the root, with `/`. */
  fits(path: string): boolean;
  /** Whether a path in this folder could match. */
  reachesInto(folder: string): boolean;
}

type CompiledFilePattern =
  | { readonly ok: true; readonly pattern: FilePattern }
  | { readonly ok: false; readonly message: string };

const MEANS_MORE = /[*?[\]{}()+@!|"\\]/;

/** Compiles a pattern. A pattern without `/` matches names at any depth. A leading `root` is removed. */
export function compileFilePattern(source: string, root: string): CompiledFilePattern {
  const prefix = `${root.replaceAll("\\", "/").replace(/\/$/, "")}/`;
  const own = source.startsWith(prefix) ? `./${source.slice(prefix.length)}` : source;
  if (isAbsolute(own)) return { ok: false, message: "the pattern leads out of the working directory" };
  const parts = own.split("/");
  if (parts.includes("..")) return { ok: false, message: "the pattern has .. in it; patterns are for paths below" };
  if (own.includes("\0")) return { ok: false, message: "the pattern has a NUL character in it" };
  const kept = parts.filter((part) => part !== "" && part !== ".");
  const plain = kept.findIndex((part) => MEANS_MORE.test(part));
  const start = kept.slice(0, plain < 0 ? Math.max(0, kept.length - 1) : plain).join("/");
  const compiled = compileGlob(parts.length === 1 ? `**/${own}` : kept.join("/"));
  if (!compiled.ok) return compiled;
  const { glob } = compiled;
  return {
    ok: true,
    pattern: { start, fits: (path) => glob.matches(path), reachesInto: (folder) => glob.reachesInto(folder) },
  };
}
