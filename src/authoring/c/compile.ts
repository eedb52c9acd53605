import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { HookError, type Problem } from "../../errors.ts";
import { packageFolder } from "../../package-info.ts";
import { BuildError } from "../build-error.ts";
import { runProgram } from "../child-process.ts";
import { type ClangPackage, runClangPackage } from "./clang-package.ts";
import { findClang } from "./find-clang.ts";

/** Compiles `guard.c` to a module, as one translation unit without a C library. */

const STACK_BYTES = 32_768;
/** The initial memory. Enough for most events, because an instance whose memory has grown cannot be restored. */
const INITIAL_MEMORY_BYTES = 131_072;

const COMPILE_FLAGS = [
  "--target=wasm32-unknown-unknown",
  "-std=c11",
  "-Oz",
  "-ffreestanding",
  "-mbulk-memory",
  "-fno-color-diagnostics",
  "-fno-caret-diagnostics",
  // These mistakes are errors, because a guard with such a mistake would give an unintended answer.
  "-Werror=return-type",
  "-Werror=implicit-function-declaration",
  "-Werror=int-conversion",
  "-Werror=incompatible-pointer-types",
  "-Werror=uninitialized",
  // Forbids `__DATE__` and `__TIME__`, so that the same source always gives the same bytes.
  "-Werror=date-time",
];

const LINK_FLAGS = [
  "--no-entry",
  "--strip-all",
  "--fatal-warnings",
  "--stack-first",
  "-z",
  `stack-size=${STACK_BYTES}`,
  `--initial-memory=${INITIAL_MEMORY_BYTES}`,
];

const SOURCE = "guard.c";
const OBJECT = "guard.o";
const OUTPUT = "guard.wasm";

/**
 * Compiles `guard.c` in a folder, with `hookbox.h` on its include path. The same source and the same clang give the
 * same bytes in every folder. Throws `HOOK_BUILD_TOOL` if there is no clang for WebAssembly, and a `BuildError` with
 * the compiler's errors.
 */
export async function compileC(folder: string, onSlow?: (what: string) => void): Promise<Uint8Array<ArrayBuffer>> {
  const found = await findClang(folder);
  if (found.kind === "program") return withPrograms(found, folder);
  onSlow?.("Compiling with @yowasp/clang, which takes 10 to 60 seconds; an installed clang takes one");
  return withPackage(found.clang, folder);
}

/** The folder with `hookbox.h`. */
function headerFolder(): string {
  return join(packageFolder(), "guest-sdk", "c");
}

interface Programs {
  readonly path: string;
  readonly linker: string;
}

/** Compiles and links in two steps. If clang linked, it would run any `wasm-opt` on PATH, which changes the bytes. */
async function withPrograms({ path, linker }: Programs, folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const scratch = await mkdtemp(join(tmpdir(), "hookbox-c-"));
  try {
    const object = join(scratch, OBJECT);
    const output = join(scratch, OUTPUT);
    const mapped = `-ffile-prefix-map=${folder}=.`;
    await runOrThrow(path, [...argumentsFor(headerFolder()), mapped, "-c", SOURCE, "-o", object], folder);
    await runOrThrow(linker, [...LINK_FLAGS, object, "-o", output], folder);
    return new Uint8Array(await readFile(output));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function runOrThrow(program: string, args: readonly string[], folder: string): Promise<void> {
  const finished = await runProgram(program, args, { cwd: folder });
  if (finished === undefined) throw new HookError("HOOK_BUILD_TOOL", `${program} cannot be run`);
  if (finished.code !== 0) throw failure(finished.stderr, folder);
}

async function withPackage(clang: ClangPackage, folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const header = "hookbox-sdk";
  const linking = LINK_FLAGS.map((flag) => `-Wl,${flag}`);
  const finished = await runClangPackage(clang, {
    args: [...argumentsFor(header), "-nostdlib", ...linking, SOURCE, "-o", OUTPUT],
    folder,
    extra: { name: header, folder: headerFolder() },
    output: OUTPUT,
  });
  if (finished.output === undefined) throw failure(finished.stderr, folder);
  return finished.output;
}

const argumentsFor = (header: string): string[] => [...COMPILE_FLAGS, `-I${header}`, `-ffile-prefix-map=${header}=.`];

/** Matches clang's `guard.c:3:5: error: …`. The messages of the linker have no lines. */
const DIAGNOSTIC = /^(.+?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$/;
const LINKER = /^[^:]*wasm-ld[^:]*: (?:error|warning): (?:[^:]*\.o: )?(.*)$/;

function failure(stderr: string, folder: string): BuildError {
  const problems = stderr.split(/\r?\n/).flatMap((line): Problem[] => {
    const said = DIAGNOSTIC.exec(line);
    if (said !== null) {
      const [, file = SOURCE, at, column, message = ""] = said;
      const place = {
        file: resolve(folder, file),
        line: Number(at),
        ...(column === undefined ? {} : { column: Number(column) }),
      };
      return [{ severity: "error", code: "HOOK_BUILD_SOURCE", message, place }];
    }
    const linked = LINKER.exec(line)?.[1];
    return linked === undefined
      ? []
      : [{ severity: "error", code: "HOOK_BUILD_SOURCE", message: `linking: ${linked}`, ...hintFor(linked) }];
  });
  const [first, ...rest] = problems;
  return new BuildError([
    first ?? {
      severity: "error",
      code: "HOOK_BUILD_SOURCE",
      message: stderr.trim() || "clang failed without a message",
    },
    ...rest,
  ]);
}

const hintFor = (message: string): { hint?: string } =>
  message.startsWith("undefined symbol") ? { hint: "a guard has no C library; use the functions of hookbox.h" } : {};
