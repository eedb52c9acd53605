import path from "node:path";

/**
 * What Claude Code would take a file for: settings, a plugin's hooks or its manifest, or the frontmatter of a skill or of an agent.
 * Commands are skills by another name.
 */
export type FileKind = "settings" | "plugin" | "skill" | "agent";

export function fileKind(file: string, baseDir: string): FileKind {
  const name = path.basename(file);
  if (name === "hooks.json" || name === "plugin.json") return "plugin";
  if (!/\.md$/i.test(name)) return "settings";
  return name.toUpperCase() === "SKILL.MD" || baseDir.split(/[/\\]/).includes("commands") ? "skill" : "agent";
}
