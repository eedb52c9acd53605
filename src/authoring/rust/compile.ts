import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { HookError, type Problem } from "../../errors.ts";
import { BuildError } from "../build-error.ts";
import { runProgram } from "../child-process.ts";
import { findCargo, type RustToolchain, TARGET } from "./find-cargo.ts";

/** Compiles a crate to a module with cargo. cargo reads the author's own configuration of mirrors and linkers. */

const STACK_BYTES = 131_072;
/** The initial memory. Enough for most events, because an instance whose memory has grown cannot be restored. */
const INITIAL_MEMORY_BYTES = 327_680;

/**
 * Builds the crate in a folder, in cargo's own target folder. The same source, `Cargo.lock` and compiler give the same
 * bytes in every folder. Throws `HOOK_BUILD_TOOL` if there is no cargo with the target, and a `BuildError` with the
 * errors of cargo or the compiler.
 */
export async function compileRust(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const toolchain = await findCargo(folder);
  const packages = await packagesOf(folder, toolchain);
  const args = ["build", "--release", "--lib", "--target", TARGET, "--message-format=json"];
  const { code, stdout, stderr } = await runCargo(toolchain, args, folder, {
    CARGO_ENCODED_RUSTFLAGS: rustFlags(folder, packages, toolchain).join(FLAG_SEPARATOR),
  });
  const messages = messagesIn(stdout);
  if (code !== 0) throw failure(messages, stderr, folder);
  const module = messages
    .filter(({ reason, target }) => reason === "compiler-artifact" && target?.kind.includes("cdylib"))
    .flatMap(({ filenames = [] }) => filenames.filter((file) => file.endsWith(".wasm")))
    .at(-1);
  if (module !== undefined) return new Uint8Array(await readFile(module));
  throw new BuildError([
    {
      severity: "error",
      code: "HOOK_BUILD_SOURCE",
      message: "the crate produces no module",
      hint: 'write crate-type = ["cdylib"] under [lib]',
      place: { file: join(folder, "Cargo.toml") },
    },
  ]);
}

interface CargoPackage {
  readonly name: string;
  readonly version: string;
  readonly manifest_path: string;
}

async function packagesOf(folder: string, toolchain: RustToolchain): Promise<readonly CargoPackage[]> {
  const args = ["metadata", "--format-version", "1", "--filter-platform", TARGET];
  const { code, stdout, stderr } = await runCargo(toolchain, args, folder);
  if (code !== 0) throw failure([], stderr, folder);
  return (JSON.parse(stdout) as { readonly packages: readonly CargoPackage[] }).packages;
}

async function runCargo(
  { cargo, rustc }: RustToolchain,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
) {
  const finished = await runProgram(cargo, args, {
    cwd: folder,
    env: { RUSTC: rustc, CARGO_TERM_COLOR: "never", ...env },
  });
  if (finished === undefined) throw new HookError("HOOK_BUILD_TOOL", `${cargo} cannot be run`);
  return finished;
}

/** The separator in `CARGO_ENCODED_RUSTFLAGS`. */
const FLAG_SEPARATOR = "\x1f";

/**
 * Returns the flags for the compiler. Keeps flags of the environment. Replaces flags of a personal configuration file,
 * because the bytes would otherwise differ between machines.
 */
function rustFlags(
  folder: string,
  packages: readonly CargoPackage[],
  { librarySource }: RustToolchain,
): readonly string[] {
  const encoded = process.env["CARGO_ENCODED_RUSTFLAGS"];
  const own = encoded === undefined ? (process.env["RUSTFLAGS"] ?? "").split(/\s+/) : encoded.split(FLAG_SEPARATOR);
  return [
    ...own.filter((flag) => flag !== ""),
    // The module must not contain absolute paths of the files that panics name. Paths in the guard's folder are already
    // relative. Such paths get no flags, so that all folders can reuse a shared target folder.
    ...packages
      .filter(({ manifest_path }) => relative(folder, manifest_path).startsWith(".."))
      .map(({ name, version, manifest_path }) => `--remap-path-prefix=${dirname(manifest_path)}=${name}-${version}`),
    `--remap-path-prefix=${librarySource}=rust`,
    `-Clink-arg=-zstack-size=${STACK_BYTES}`,
    `-Clink-arg=--initial-memory=${INITIAL_MEMORY_BYTES}`,
  ];
}

interface CargoMessage {
  readonly reason: string;
  readonly target?: { readonly kind: readonly string[] };
  readonly filenames?: readonly string[];
  readonly message?: {
    readonly level: string;
    readonly message: string;
    readonly spans: readonly {
      readonly is_primary: boolean;
      readonly file_name: string;
      readonly line_start: number;
      readonly column_start: number;
    }[];
  };
}

function messagesIn(stdout: string): readonly CargoMessage[] {
  return stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as CargoMessage] : []));
}

function failure(messages: readonly CargoMessage[], stderr: string, folder: string): BuildError {
  const problems = messages.flatMap(({ message }): Problem[] => {
    if (message?.level !== "error") return [];
    const span = message.spans.find(({ is_primary }) => is_primary);
    // The compiler's last message only counts the other messages.
    if (span === undefined && message.message.startsWith("aborting due to")) return [];
    const place =
      span === undefined
        ? {}
        : { place: { file: resolve(folder, span.file_name), line: span.line_start, column: span.column_start } };
    return [{ severity: "error", code: "HOOK_BUILD_SOURCE", message: message.message, ...place }];
  });
  const [first, ...rest] = problems;
  return new BuildError([first ?? cargoProblem(stderr, folder), ...rest]);
}

/** Returns an error of cargo itself, such as a manifest that cannot be read or a crate that cannot be downloaded. */
function cargoProblem(stderr: string, folder: string): Problem {
  const start = stderr.search(/^error: /m);
  const said = (start < 0 ? stderr : stderr.slice(start + "error: ".length)).trim();
  const isAboutNetwork = /registry|network|offline|download|no matching package/i.test(said);
  return {
    severity: "error",
    code: "HOOK_BUILD_SOURCE",
    message: `cargo: ${said || "failed without a message"}`,
    ...(isAboutNetwork ? { hint: "docs/guard-rust.md says how to build without crates.io" } : {}),
    place: { file: join(folder, "Cargo.toml") },
  };
}
