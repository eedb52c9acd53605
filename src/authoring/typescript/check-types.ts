import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Problem } from "../../errors.ts";
import { runProgram } from "../child-process.ts";

/** `guard.ts(15,49): error TS2322: …` */
const DIAGNOSTIC = /^(\S.*?)\((\d+),(\d+)\): error (TS\d+): (.*)$/;

/**
 * The errors that the project's own TypeScript finds in a guard. None where it is not installed, or where no
 * tsconfig.json lies beside the guard: another one is for other code. Runs as a process of its own, so that the guard is
 * built and tested at the same time.
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
    // Others' packages are not the guard's author's to correct.
    if (file === undefined || /(^|[\\/])node_modules[\\/]/.test(file)) return [];
    const place = { file: resolve(folder, file), line: Number(row), column: Number(column) };
    const hint = "--no-types builds and tests without a look at types";
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
