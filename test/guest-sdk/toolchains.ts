import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import { findClang } from "../../src/authoring/c/find-clang.ts";
import { findCargo } from "../../src/authoring/rust/find-cargo.ts";
import { blocksOf } from "../pages/blocks.ts";

/** Compilers that a machine may not have. `.ci/run` installs them, so nothing is skipped there. */

const SDK = path.resolve(import.meta.dirname, "../../guest-sdk");
const DEBIAN_CRATES = "/usr/share/cargo/registry";
/** vitest.config.ts creates one folder for each run of the suite. */
export const SCRATCH = process.env["XDG_CACHE_HOME"] ?? "";

/** Why the compiler is missing, for a title; "" if it is installed. */
async function lackOf(search: Promise<unknown>): Promise<string> {
  try {
    await search;
    return "";
  } catch (error) {
    return ` (skipped: ${(error as Error).message})`;
  }
}

export const noClang = await lackOf(findClang(SDK));
export const noCargo = await lackOf(findCargo(SDK));

const VARIABLES = ["CARGO_HOME", "CARGO_PROFILE_RELEASE_LTO", "CARGO_TARGET_DIR"];

/**
 * Debian's crates are packages in a folder: cargo gets the settings that docs/guard-rust.md shows. If the packages are not
 * installed, cargo's own configuration applies. All builds of a run share what they make of those crates. The variables
 * are restored after the tests of the file that calls this.
 */
export function useCargo(): void {
  if (noCargo !== "") return;
  const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  afterAll(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  // It takes three seconds for each guard, and only changes the module's size.
  process.env["CARGO_PROFILE_RELEASE_LTO"] = "off";
  process.env["CARGO_TARGET_DIR"] = path.join(SCRATCH, "cargo-target");
  if (!existsSync(DEBIAN_CRATES)) return;
  const home = path.join(SCRATCH, "cargo-home");
  mkdirSync(home, { recursive: true });
  const config = path.join(home, "config.toml");
  // Another worker's cargo may be reading it: it must never find half a file.
  const written = `${config}.${process.pid}`;
  const settings = blocksOf("docs/guard-rust.md").find(({ language }) => language === "toml");
  writeFileSync(written, settings?.text ?? "");
  renameSync(written, config);
  process.env["CARGO_HOME"] = home;
}

/**
 * An example in Rust in the folders of `hookbox new`: with the crate next to it. Our own folder is not changed. Cargo
 * names a module by its package only, and all builds share a target folder: tests in files that run at the same time
 * give their packages different names, or one could read the other's module.
 */
export function copyRustExample(to: string, name = "word-guard", example = "example"): string {
  const isSource = (file: string): boolean =>
    !["example", "examples", "target", "Cargo.lock"].includes(path.basename(file));
  cpSync(path.join(SDK, "rust", example), to, {
    recursive: true,
    filter: (file) => !["target", "Cargo.lock"].includes(path.basename(file)),
  });
  const sdk = path.join(to, "hookbox-guest");
  // Newer files would be compiled again.
  if (!existsSync(sdk)) cpSync(path.join(SDK, "rust"), sdk, { recursive: true, filter: isSource });
  const manifest = path.join(to, "Cargo.toml");
  writeFileSync(
    manifest,
    readFileSync(manifest, "utf8")
      .replace(/path = "[./]+"/, 'path = "hookbox-guest"')
      .replace(/^name = ".*"$/m, `name = "${name}"`),
  );
  return to;
}

export const C_EXAMPLE = path.join(SDK, "c/example");
export const TYPESCRIPT_EXAMPLE = path.join(SDK, "typescript/example");
