import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Runs the npm package `@yowasp/clang`: clang and its linker as WebAssembly, for machines without clang. */

interface Tree {
  [name: string]: Tree | string | Uint8Array;
}

export interface ClangPackage {
  /** Runs a command. With `null` as `args`, only loads the modules of the commands. */
  readonly runLLVM: (args: null, files: Tree, options: { readonly fetchProgress: () => void }) => Promise<unknown>;
  readonly commands: {
    readonly clang: (
      args: readonly string[],
      files: Tree,
      options: { readonly stdout: Listener; readonly stderr: Listener },
    ) => Promise<Tree>;
  };
}

type Listener = (bytes: Uint8Array | null) => void;

/** Loads the package from the guard's project or from hookbox's folder. `undefined`: it is not installed. */
export async function loadClangPackage(folder: string): Promise<ClangPackage | undefined> {
  for (const from of [join(folder, "package.json"), import.meta.url]) {
    // The package has no entry for `require`, so its folder is searched here.
    for (const modules of createRequire(from).resolve.paths("@yowasp/clang") ?? []) {
      const home = join(modules, "@yowasp", "clang");
      const about = await readFile(join(home, "package.json"), "utf8").catch(() => undefined);
      if (about === undefined) continue;
      const { exports } = JSON.parse(about) as { readonly exports: { readonly default: string } };
      return (await import(pathToFileURL(join(home, exports.default)).href)) as ClangPackage;
    }
  }
  return undefined;
}

interface PackageRun {
  readonly args: readonly string[];
  /** The folder that clang sees as the working directory. */
  readonly folder: string;
  /** Another folder, which clang sees under this name in the working directory. */
  readonly extra: { readonly name: string; readonly folder: string };
  readonly output: string;
}

interface PackageRunResult {
  /** The output file. `undefined`: clang failed. */
  readonly output: Uint8Array<ArrayBuffer> | undefined;
  readonly stderr: string;
}

export async function runClangPackage(
  { runLLVM, commands }: ClangPackage,
  { args, folder, extra, output }: PackageRun,
): Promise<PackageRunResult> {
  const files: Tree = { ...(await sourcesIn(folder)), [extra.name]: await sourcesIn(extra.folder) };
  // Loaded first, because `commands.clang` would print progress to standard output, which may be JSON.
  await runLLVM(null, {}, { fetchProgress: () => {} });
  const decoder = new TextDecoder();
  let stderr = "";
  try {
    const made = await commands.clang(args, files, {
      stdout: () => {},
      stderr: (bytes) => {
        stderr += bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
      },
    });
    return { output: new Uint8Array(made[output] as Uint8Array), stderr };
  } catch (error) {
    // The package throws such an error if clang's exit code is not 0.
    if (error instanceof Error && "code" in error && "files" in error) return { output: undefined, stderr };
    throw error;
  }
}

/** Reads the files that a `#include` may name. */
async function sourcesIn(folder: string): Promise<Tree> {
  const tree: Tree = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) {
      tree[entry.name] = await sourcesIn(path);
    } else if (entry.isFile() && /\.(c|h|inc)$/.test(entry.name)) {
      tree[entry.name] = await readFile(path, "utf8");
    }
  }
  return tree;
}
