import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { transformSync } from "esbuild";
import { buildGuard } from "../../src/authoring/build.ts";
import { compileC } from "../../src/authoring/c/compile.ts";
import { noClang } from "../guest-sdk/toolchains.ts";
import { type Block, ROOT } from "./blocks.ts";

/** Programs and guards of the pages, checked and built inside the package, where its name resolves to itself. */

const REPORTS = join(ROOT, "test-report");
mkdirSync(REPORTS, { recursive: true });
export const PROGRAMS = mkdtempSync(join(REPORTS, "pages-"));

/** Returns the TypeScript compiler's output for all of them, with strict settings and the package's types. */
export function typeErrors(blocks: readonly Block[]): string {
  for (const { page, line, text } of blocks)
    writeFileSync(join(PROGRAMS, `${basename(page, ".md")}-${line + 1}.mts`), text);
  const compilerOptions = {
    ...{ strict: true, module: "nodenext", target: "es2024", types: ["node"] },
    ...{ skipLibCheck: true, noEmit: true },
  };
  writeFileSync(join(PROGRAMS, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  return spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", "."], { cwd: PROGRAMS, encoding: "utf8" }).stdout;
}

/** Builds the guard; throws the message for its author. */
export async function buildBlock({ language, page, line, text }: Block): Promise<void> {
  const own = join(PROGRAMS, `guard-${basename(page, ".md")}-${line}`);
  mkdirSync(own, { recursive: true });
  if (language === "c") {
    writeFileSync(join(own, "guard.c"), text);
    await compileC(own);
  } else {
    writeFileSync(join(own, "guard.ts"), text);
    await buildGuard(own, {});
  }
}

/** Why a guard cannot be built on this machine; "" if it can. */
export const lackFor = ({ language }: Block): string => (language === "c" ? noClang : "");

/** Runs a program without its types in a folder, and returns its output. Throws its standard error if it fails. */
export function runProgram(text: string, cwd: string): string {
  const file = join(mkdtempSync(join(PROGRAMS, "program-")), "program.mjs");
  writeFileSync(file, transformSync(text, { loader: "ts", format: "esm" }).code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
