import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { AgentFile, AgentPlaces } from "../dialect.ts";

/** Claude Code's settings files, most trusted first. */
export async function claudeCodePlaces(
  { cwd, home, variables = {} }: AgentPlaces,
  managed = managedFolder(process.platform),
): Promise<readonly AgentFile[]> {
  const configured = variables["CLAUDE_CONFIG_DIR"];
  // A relative one would be the project's to fill.
  const user = configured !== undefined && isAbsolute(configured) ? configured : join(home, ".claude");
  const project = join(cwd, ".claude");
  const dropIns = await dropInsOf(join(managed, "managed-settings.d"));
  return [
    { file: join(managed, "managed-settings.json"), layer: "managed" },
    ...dropIns.map((file): AgentFile => ({ file, layer: "managed" })),
    { file: join(user, "settings.json"), layer: "user" },
    { file: join(project, "settings.json"), layer: "project" },
    { file: join(project, "settings.local.json"), layer: "local" },
  ];
}

function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  return platform === "win32" ? "C:\\Program Files\\ClaudeCode" : "/etc/claude-code";
}

/** Parts of the managed settings, in the order of their names. */
async function dropInsOf(folder: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A folder that is there and cannot be read is named: reading it as a file says what is wrong with it.
    return code === "ENOENT" || code === "ENOTDIR" ? [] : [folder];
  }
}
