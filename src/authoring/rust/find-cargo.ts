import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { HookError } from "../../errors.ts";
import { runProgram } from "../child-process.ts";

export const TARGET = "wasm32-unknown-unknown";

export interface RustToolchain {
  readonly cargo: string;
  /** The compiler in cargo's folder, because another compiler may not have the target. */
  readonly rustc: string;
  /** The folder of the standard library's source, which may not be installed. */
  readonly librarySource: string;
}

const HINT =
  `rustup target add ${TARGET}; or on Debian apt-get install cargo rustc libstd-rust-dev-wasm32 and the lld it names; ` +
  "docs/guard-rust.md says more";

/**
 * Finds the first folder on PATH with a cargo and a rustc that has the target. Many machines have two: rustup's and the
 * system's. Throws `HOOK_BUILD_TOOL`.
 */
export async function findCargo(folder: string): Promise<RustToolchain> {
  const suffix = process.platform === "win32" ? ".exe" : "";
  let seen = 0;
  for (const bin of new Set((process.env["PATH"] ?? "").split(delimiter))) {
    const cargo = join(bin, `cargo${suffix}`);
    const rustc = join(bin, `rustc${suffix}`);
    if (bin === "" || !existsSync(cargo) || !existsSync(rustc)) continue;
    seen += 1;
    const printed = await runProgram(rustc, ["--print", "target-libdir", "--target", TARGET], { cwd: folder });
    const library = printed?.stdout.trim() ?? "";
    if (library !== "" && existsSync(library)) {
      return { cargo, rustc, librarySource: join(dirname(dirname(library)), "src", "rust") };
    }
  }
  const why = seen === 0 ? "is not installed" : `has no target ${TARGET}`;
  throw new HookError("HOOK_BUILD_TOOL", `a guard in Rust is compiled by cargo, which ${why}`, { hint: HINT });
}
