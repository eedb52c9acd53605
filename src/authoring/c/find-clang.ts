import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { HookError } from "../../errors.ts";
import { runProgram } from "../child-process.ts";
import { type ClangPackage, loadClangPackage } from "./clang-package.ts";

type FoundClang =
  | { readonly kind: "program"; readonly path: string; readonly linker: string }
  | { readonly kind: "package"; readonly clang: ClangPackage };

/** Names of clang: the version of hookbox's tests, then newer versions, then older versions. */
const NAMES = ["clang-19", "clang-22", "clang-21", "clang-20", "clang", "clang-18", "clang-17", "clang-16", "clang-15"];

const HINT =
  "apt-get install clang-19 lld-19, or LLVM's own packages, or npm install --save-dev @yowasp/clang; " +
  "HOOKBOX_CLANG names a clang of your own";

/**
 * Finds clang. If `HOOKBOX_CLANG` is set, uses only this clang; otherwise the first clang on PATH with a WebAssembly
 * target and `wasm-ld`; otherwise the npm package `@yowasp/clang` of the guard's project. Throws `HOOK_BUILD_TOOL`.
 */
export async function findClang(folder: string): Promise<FoundClang> {
  const named = process.env["HOOKBOX_CLANG"];
  if (named !== undefined && named !== "") {
    const found = await examine(named, folder);
    if (typeof found !== "string") return found;
    throw new HookError("HOOK_BUILD_TOOL", `HOOKBOX_CLANG is ${named}, which ${found}`, { hint: HINT });
  }
  let nearest: string | undefined;
  for (const name of NAMES) {
    const found = await examine(name, folder);
    if (typeof found !== "string") return found;
    if (found !== ABSENT) nearest ??= `${name} ${found}`;
  }
  const clang = await loadClangPackage(folder);
  if (clang !== undefined) return { kind: "package", clang };
  const why = nearest === undefined ? "" : `; ${nearest}`;
  throw new HookError("HOOK_BUILD_TOOL", `a guard in C is compiled by clang, and none was found${why}`, { hint: HINT });
}

const ABSENT = "cannot be run";

/** Returns a clang with its linker, or why it cannot compile guards. Apple's clang has no WebAssembly target. */
async function examine(clang: string, folder: string): Promise<FoundClang | string> {
  const targets = await runProgram(clang, ["--print-targets"], { cwd: folder });
  if (targets === undefined || targets.code !== 0) return ABSENT;
  if (!/\bwasm32\b/.test(targets.stdout)) return "has no target wasm32";
  const linker = await runProgram(clang, ["--target=wasm32-unknown-unknown", "--print-prog-name=wasm-ld"], {
    cwd: folder,
  });
  const path = linker?.stdout.trim() ?? "";
  return isAbsolute(path) || isOnPath(path) ? { kind: "program", path: clang, linker: path } : "finds no wasm-ld";
}

function isOnPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return program !== "" && folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}
