import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Problem } from "../../errors.ts";
import { runProgram } from "../child-process.ts";

/** Matches `guard.ts(15,49): error TS2322: …`. */
const DIAGNOSTIC = /^(\S.*?)\((\d+),(\d+)\): error (TS\d+): (.*)$/;

/**
 * Returns the errors that the project's own TypeScript finds in a guard. Returns none if TypeScript is not installed.
 * Returns none if the guard's folder has no tsconfig.json, because one in another folder is for other code. Runs in a
 * separate process while the guard is built and tested.
 */
export async function checkTypes(folder: string): Promise<readonly Problem[]> {
  const project = join(folder, "tsconfig.json");
  const compiler = existsSync(project) ? compilerOf(folder) : undefined;
  if (compiler === undefined) return [];
  const args = [compiler, "--noEmit", "--pretty", "false", "-p", project];
  const finished = await runProgram(process.execPath, args, { cwd: folder });
  const lines = finished?.stdout.split(/\r?\n/) ?? [];
  return lines.flatMap((line): Problem[] => {
    const [, file, row, column, code, message] = DIAGNOSTIC.exec(line) ?? [];
    // The guard's author cannot correct other packages.
    if (file === undefined || /(^|[\\/])node_modules[\\/]/.test(file)) return [];
    const place = { file: resolve(folder, file), line: Number(row), column: Number(column) };
    const hint = "--no-types builds and tests without checking types";
    return [{ severity: "error", code: "HOOK_BUILD_TYPE", message: `${message} (${code})`, hint, place }];
  });
}

function compilerOf(folder: string): string | undefined {
  try {
    const home = dirname(createRequire(join(folder, "package.json")).resolve("typescript/package.json"));
    const compiler = join(home, "bin/tsc");
    return existsSync(compiler) ? compiler : undefined;
  } catch {
    return undefined;
  }
}
