import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { ProgramEnding } from "../../processes/run-program.ts";
import { type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";
import { type ChangedFile, changedFile } from "./changed-file.ts";
import { whyProgramFailed } from "./program-failure.ts";

interface Formatter {
  readonly program: string;
  readonly endings: readonly string[];
  args(path: string): readonly string[];
}

const SCRIPTS = [".ts", ".tsx", ".js", ".jsx"];
const ALL = [...SCRIPTS, ".json", ".css", ".scss", ".md"];

/** Formatters by file type. The first installed formatter formats the file. */
const FORMATTERS: readonly Formatter[] = [
  { program: "prettier", endings: ALL, args: (path) => ["--write", "--log-level", "warn", path] },
  { program: "eslint", endings: SCRIPTS, args: (path) => ["--fix", path] },
  { program: "biome", endings: ALL, args: (path) => ["format", "--write", path] },
];

/** Formats the changed file. */
export const autoFormat: BuiltinHook = {
  run: async (call) => {
    const file = await changedFile(call);
    if (file === undefined || file.isGone) return silent();
    const ending = extname(file.path).toLowerCase();
    for (const formatter of FORMATTERS) {
      if (!formatter.endings.includes(ending)) continue;
      const ended = await run(call, formatter, file);
      if (ended.by === "missing") continue;
      const why = whyProgramFailed(formatter.program, ended);
      return why === undefined ? silent() : silent(`${file.name} was not formatted: ${why}`);
    }
    return silent();
  },
};

/** Runs a formatter. A formatter in the project is preferred to one on PATH. */
async function run(
  { tools, workingDir }: BuiltinCall,
  { program, args }: Formatter,
  { path }: ChangedFile,
): Promise<ProgramEnding> {
  const installed = foldersBetween(dirname(path), workingDir)
    .map((folder) => join(folder, "node_modules", ".bin", program))
    .find((file) => existsSync(file));
  if (installed !== undefined) {
    const ended = await tools.run(installed, args(path));
    if (ended.by !== "missing") return ended;
  }
  return tools.run(program, args(path));
}

/** Returns the folders from the file's folder up to the working directory. Each package may have its own formatter. */
function foldersBetween(folder: string, top: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== top && dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
}
