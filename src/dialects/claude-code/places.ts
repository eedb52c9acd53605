import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { sessionFolders } from "../../project-folder.ts";
import type { AgentFile, AgentPlaces } from "../dialect.ts";

/** Returns Claude Code's settings files, most trusted first. */
export async function claudeCodePlaces(
  { cwd, home, variables = {} }: AgentPlaces,
  managed = managedFolder(process.platform),
): Promise<readonly AgentFile[]> {
  const configured = variables["CLAUDE_CONFIG_DIR"];
  // A relative folder is ignored, because the project could provide its files.
  const user = configured !== undefined && isAbsolute(configured) ? configured : join(home, ".claude");
  // Claude Code reads the folder in which the session began, also after the agent's `cd`.
  const projects = [...new Set([...sessionFolders(variables), cwd])].map((folder) => join(folder, ".claude"));
  const dropIns = await dropInsOf(join(managed, "managed-settings.d"));
  return [
    { file: join(managed, "managed-settings.json"), layer: "managed" },
    ...dropIns.map((file): AgentFile => ({ file, layer: "managed" })),
    { file: join(user, "settings.json"), layer: "user" },
    ...projects.flatMap((project): AgentFile[] => [
      { file: join(project, "settings.json"), layer: "project" },
      { file: join(project, "settings.local.json"), layer: "local" },
    ]),
  ];
}

function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  return platform === "win32" ? "C:\\Program Files\\ClaudeCode" : "/etc/claude-code";
}

/** Returns the additional managed settings files, ordered by name. */
async function dropInsOf(folder: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A folder that exists and cannot be read is returned itself, because reading it as a file reports the problem.
    return code === "ENOENT" || code === "ENOTDIR" ? [] : [folder];
  }
}
