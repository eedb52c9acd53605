// The files that decide whether and how hookbox runs.

/** hookbox's configuration, lock, approvals, state, socket, token, copies and caches. */
const OWN_FILES: readonly string[] = [
  ...["hookbox.json", "hookbox.jsonc", "hookbox.yaml", "hookbox.yml", "hookbox.lock", "*.hooks-off.json", "hookbox.d"],
  ...[".config/hookbox", ".local/share/hookbox", ".local/state/hookbox", ".cache/hookbox", "node_modules/hookbox"],
  ...["node_modules/.bin/hookbox", "hookbox.cjs", "relay-linux-x64", "relay-linux-arm64"],
];

/** The files in which agents name their hooks, and the folders from which agents load code. */
const AGENTS_FILES: readonly string[] = [
  ...[".claude/settings.json", ".claude/settings.local.json", ".claude/hooks", ".claude.json", "managed-settings.json"],
  ...[".codex/hooks.json", ".codex/config.toml", ".qwen/settings.json", ".gemini/settings.json"],
  ...[".copilot/config.json", ".copilot/hooks", ".github/hooks", ".kimi-code/config.toml", ".kimi/config.toml"],
  ...[".config/cagent", ".cagent/hooks.d", ".autohand/config.json", ".autohand/hooks", ".agentao/plugins"],
  ...[".openclaw/openclaw.json", ".openclaw/extensions", ".openclaw/plugins", ".opencode/plugin", ".opencode/plugins"],
  ...["opencode.json", "opencode.jsonc", ".config/opencode", ".pi/extensions", ".pi/agent/extensions"],
];

/** Files whose folder must not be removed or moved either. Folders with much other content are left out. */
export const WITH_FOLDER: readonly string[] = AGENTS_FILES.filter((file) => /^\.(?!github|config)[^/]+\//.test(file));

export const PROTECTED_FILES: readonly string[] = [...OWN_FILES, ...AGENTS_FILES];

/** Words with which programs in other languages change files. */
export const CHANGES =
  /write|unlink|remove|rmtree|rename|replace\(|truncate|delete|copy|move|dump|symlink|chmod|rm[A-Z(]|open\([^)]*,\s*["'][rwax+]*[wax+]|>/;
