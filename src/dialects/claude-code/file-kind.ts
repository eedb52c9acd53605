import path from "node:path";

/**
 * How Claude Code reads a file: as settings, as a plugin's hooks or manifest, or as the frontmatter of a skill or an
 * agent. Commands are read as skills.
 */
type FileKind = "settings" | "plugin" | "skill" | "agent";

export function fileKind(file: string, baseDir: string): FileKind {
  const name = path.basename(file);
  if (name === "hooks.json" || name === "plugin.json") return "plugin";
  if (!/\.md$/i.test(name)) return "settings";
  return name.toUpperCase() === "SKILL.MD" || baseDir.split(/[/\\]/).includes("commands") ? "skill" : "agent";
}
