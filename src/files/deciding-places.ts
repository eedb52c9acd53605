import { basename, dirname, sep } from "node:path";

/** Files that decide which hooks run and what guards are granted: no guard writes them, whatever its rule grants. */

const OWN_FILE = /^hookbox\.(?:jsonc?|ya?ml|lock)$/i;
export const OWN_FILES: readonly string[] = ["json", "jsonc", "yaml", "yml", "lock"].map(
  (ending) => `hookbox.${ending}`,
);
/** Where agents keep settings, and often the scripts of their hooks. */
const AGENT_FOLDERS: readonly string[] = [
  ...[".agentao", ".autohand", ".claude", ".claude-plugin", ".codex", ".copilot", ".cursor", ".factory", ".gemini"],
  ...[".kiro", ".openclaw", ".opencode", ".qwen", ".windsurf"],
];
const AGENT_FILE = /^(?:settings(?:\..+)?|managed-settings|hooks|config|plugin|mcp)\.(?:jsonc?|json5|toml|ya?ml)$/i;

/**
 * Why nothing may be written at `location` by a grant of `path`; `undefined` where nothing stands against it. `location`
 * is without links. An agent's folder that the path names itself was meant; one that a link or the guard leads into was not.
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
