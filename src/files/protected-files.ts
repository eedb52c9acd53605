import { basename, dirname, sep } from "node:path";

/** Files that decide which hooks run and what guards are granted. No grant lets a guard write them. */

const OWN_FILE = /^hookbox\.(?:jsonc?|ya?ml|lock)$/i;
export const OWN_FILES: readonly string[] = ["json", "jsonc", "yaml", "yml", "lock"].map(
  (ending) => `hookbox.${ending}`,
);
/** Folders in which agents keep their settings and often the scripts of their hooks. */
const AGENT_FOLDERS: readonly string[] = [
  ...[".agentao", ".autohand", ".claude", ".claude-plugin", ".codex", ".copilot", ".cursor", ".factory", ".gemini"],
  ...[".kiro", ".openclaw", ".opencode", ".qwen", ".windsurf"],
];
const AGENT_FILE = /^(?:settings(?:\..+)?|managed-settings|hooks|config|plugin|mcp)\.(?:jsonc?|json5|toml|ya?ml)$/i;

/**
 * Returns why a grant of `path` does not allow writing at `location`, a path without links. `undefined`: writing is
 * allowed. A grant whose own path names an agent's folder is deliberate. A grant that leads into such a folder through
 * a link or through the guard's choice is not.
 */
export function whyNotWritten(location: string, path: string): string | undefined {
  const [name, folder] = [basename(location), basename(dirname(location))];
  if (OWN_FILE.test(name)) return "is a configuration or a lock file of hookbox";
  const found = agentFolders(location);
  const isSetting = AGENT_FILE.test(name) && found.includes(folder.toLowerCase());
  if (isSetting || found.length > agentFolders(path).length) return `lies in ${found.at(-1)}, with an agent's settings`;
  return undefined;
}

export function isAgentFolder(location: string): boolean {
  return AGENT_FOLDERS.includes(basename(location).toLowerCase());
}

function agentFolders(location: string): readonly string[] {
  const parts = location.toLowerCase().split(sep);
  return parts.filter((part) => AGENT_FOLDERS.includes(part));
}
