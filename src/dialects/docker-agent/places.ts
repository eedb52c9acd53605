import { basename, join } from "node:path";
import type { AgentFile, AgentPlaces } from "../dialect.ts";

/** Where docker-agent looks for hooks, in its order: the agent's file, the user's settings, the user's drop-ins. */

const DROP_INS = "hooks.d";

/** What `docker agent new` writes. Another file is named on the command line, there as here. */
const AGENT_FILES = ["agent.yaml", "agent.yml"];

export async function places({ cwd, home }: AgentPlaces): Promise<readonly AgentFile[]> {
  const folder = join(home, ".config", "cagent");
  // The user's files come after the project's, and are the user's all the same.
  const own = (file: string): AgentFile => ({ file, layer: "user", ranksAs: "project" });
  return [
    ...AGENT_FILES.map((name): AgentFile => ({ file: join(cwd, name), layer: "project" })),
    own(join(folder, "config.yaml")),
    ...(await dropIns(join(folder, DROP_INS))).map(own),
  ];
}

/** A folder that cannot be looked into stands for what may be in it. */
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

/** When one of the user's drop-ins is malformed, the agent goes on without it. */
export function isDropInFolder(folder: string): boolean {
  return basename(folder) === DROP_INS;
}
