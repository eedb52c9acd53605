import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { ConfigFile } from "../config/load.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import { checkAgent } from "./agent-terms.ts";
import { ALL_FORMATS, FORMATS_WITH_PLACES } from "./format-names.ts";

const PROJECT_FILES = ["hookbox.json", "hookbox.jsonc", "hookbox.yaml", "hookbox.yml"];
/** Found here it is only named: whether a file of an agent counts is for its user to say. */
const CLAUDE_FILE = ".claude/settings.json";

/** What the help of every verb that reads a configuration says of it. */
export const CONFIG_HELP = `  --config FILE     rules; may be given more than once. Default: hookbox.json (.jsonc, .yaml) in the
                    working directory and in the user's configuration folder; with --format
                    ${FORMATS_WITH_PLACES}, the files that the agent itself reads
  --format NAME     ${ALL_FORMATS}.
                    Default: by the files' names`;

/** What is read besides the files. */
export interface MoreConfig {
  /** Whose rules are meant, in files with several agents. */
  readonly agent?: string | undefined;
  /** Counted after the files. */
  readonly added?: readonly ConfigFile[];
}

/**
 * The files named with `--config`. Without any: those that the agent of the format reads itself, in its order, and of
 * our own format the user's and the project's.
 */
export async function configFiles(
  named: readonly string[],
  format: string | undefined,
  cwd: string,
  { agent, added = [] }: MoreConfig = {},
): Promise<readonly ConfigFile[]> {
  checkAgent(agent, format);
  const dialect = format === undefined ? {} : { dialect: format };
  const whose = agent === undefined ? {} : { agent };
  if (named.length > 0) {
    return [...named.map((file) => ({ file, layer: "command-line" as const, ...dialect, ...whose })), ...added];
  }
  const agents = format === undefined ? undefined : dialectNamed(format);
  if (agents?.places === undefined) return [...(await ownFiles(cwd)), ...added];
  const found = await filesOf(agents, cwd);
  if (found.files.length === 0 && added.length === 0) {
    throw new HookError("HOOK_CONFIG_NOT_FOUND", `${agents.name} has no configuration here`, {
      hint: `looked at ${found.places.join(", ")}; name another file with --config FILE`,
    });
  }
  return [...found.files.map((file) => ({ ...file, ...dialect, ...whose })), ...added];
}

async function filesOf(
  { places }: Dialect,
  cwd: string,
): Promise<{ readonly files: readonly ConfigFile[]; readonly places: readonly string[] }> {
  const all = (await places?.({ cwd, home: homedir() })) ?? [];
  return { files: await existing(all), places: all.map(({ file }) => file) };
}

async function ownFiles(cwd: string): Promise<readonly ConfigFile[]> {
  const configured = process.env["XDG_CONFIG_HOME"];
  // The XDG specification has empty and relative values ignored; a relative one would be the project's to fill.
  const home = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".config");
  const user = join(home, "hookbox");
  const files = await existing([
    ...PROJECT_FILES.map((name) => ({ file: join(user, name), layer: "user" as const })),
    ...PROJECT_FILES.map((name) => ({ file: join(cwd, name), layer: "project" as const })),
  ]);
  if (files.length > 0) return files;
  throw new HookError("HOOK_CONFIG_NOT_FOUND", `there is no ${PROJECT_FILES[0]} in ${cwd} or ${user}`, {
    hint: (await exists(join(cwd, CLAUDE_FILE)))
      ? `there is a ${CLAUDE_FILE}: name it with --config ${CLAUDE_FILE}`
      : "name one with --config FILE",
  });
}

async function existing<File extends { readonly file: string }>(candidates: readonly File[]): Promise<File[]> {
  const found = await Promise.all(candidates.map(({ file }) => exists(file)));
  return candidates.filter((_, index) => found[index] === true);
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
