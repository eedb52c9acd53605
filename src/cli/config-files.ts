import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { ConfigFile } from "../config/load.ts";
import { HookError } from "../errors.ts";

const PROJECT_FILES = ["hookbox.json", "hookbox.jsonc", "hookbox.yaml", "hookbox.yml"];
/** Found here it is only named: whether a file of an agent counts is for its user to say. */
const CLAUDE_FILE = ".claude/settings.json";

/** What the help of every verb that reads a configuration says of it. */
export const CONFIG_HELP = `  --config FILE     rules; may be given more than once. Default: hookbox.json (.jsonc, .yaml) in the
                    working directory and in the user's configuration folder
  --format NAME     hookbox, claude-code, docker-agent or patterns. Default: by the files' names`;

/** The files named with `--config`; without any, the user's own and the project's. */
export async function configFiles(
  named: readonly string[],
  format: string | undefined,
  cwd: string,
): Promise<readonly ConfigFile[]> {
  const dialect = format === undefined ? {} : { dialect: format };
  if (named.length > 0) return named.map((file) => ({ file, layer: "command-line" as const, ...dialect }));
  const configured = process.env["XDG_CONFIG_HOME"];
  // The XDG specification has empty and relative values ignored; a relative one would be the project's to fill.
  const home = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".config");
  const user = join(home, "hookbox");
  const candidates = [
    ...PROJECT_FILES.map((name) => ({ file: join(user, name), layer: "user" as const })),
    ...PROJECT_FILES.map((name) => ({ file: join(cwd, name), layer: "project" as const })),
  ];
  const found = await Promise.all(candidates.map(({ file }) => exists(file)));
  const files = candidates.filter((_, index) => found[index] === true);
  if (files.length > 0) return files;
  throw new HookError("HOOK_CONFIG_NOT_FOUND", `there is no ${PROJECT_FILES[0]} in ${cwd} or ${user}`, {
    hint: (await exists(join(cwd, CLAUDE_FILE)))
      ? `there is a ${CLAUDE_FILE}: name it with --config ${CLAUDE_FILE}`
      : "name one with --config FILE",
  });
}

/** Whether there is anything at all: a file that cannot be read is a problem to report, not a file to skip. */
async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT" && (error as NodeJS.ErrnoException).code !== "ENOTDIR";
  }
}
