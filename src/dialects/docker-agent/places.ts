import { basename, join } from "node:path";
import type { AgentFile, AgentPlaces } from "../dialect.ts";

/**
 * The files in which docker-agent looks for hooks, in its order: the agent's file, the user's settings, the user's
 * drop-ins.
 */

const DROP_INS = "hooks.d";

/** The files that `docker agent new` writes. Users name other files on the command line of docker-agent and hookbox. */
const AGENT_FILES = ["agent.yaml", "agent.yml"];

export async function places({ cwd, home }: AgentPlaces): Promise<readonly AgentFile[]> {
  const folder = join(home, ".config", "cagent");
  // The user's files are ordered after the project's files, but keep the user's trust.
  const own = (file: string): AgentFile => ({ file, layer: "user", ranksAs: "project" });
  return [
    ...AGENT_FILES.map((name): AgentFile => ({ file: join(cwd, name), layer: "project" })),
    own(join(folder, "config.yaml")),
    ...(await dropIns(join(folder, DROP_INS))).map(own),
  ];
}

/**
 * Returns the drop-in files, ordered by name. Without files, returns the pattern that would find them. A folder that
 * cannot be read is returned itself, because it may contain hooks.
 */
async function dropIns(folder: string): Promise<readonly string[]> {
  const { readdir } = await import("node:fs/promises");
  const pattern = join(folder, "*.yaml");
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
    return names.length === 0 ? [pattern] : names.map((name) => join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [code === "ENOENT" || code === "ENOTDIR" ? pattern : folder];
  }
}

/** Whether this is the folder of the user's drop-ins. docker-agent ignores a malformed drop-in file and continues. */
export function isDropInFolder(folder: string): boolean {
  return basename(folder) === DROP_INS;
}
