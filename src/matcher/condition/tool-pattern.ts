import type { Steps } from "../steps.ts";
import { starPattern } from "./star-pattern.ts";
import { familyOf } from "./tool-kinds.ts";

/** Which tools a rule is for: the named one and its family, all of an MCP server's, or those that fit a `*`. */
export function toolPattern(name: string): (tool: string, steps?: Steps) => boolean {
  if (name.includes("*")) {
    const pattern = starPattern(name);
    return (tool, steps) => pattern.matches(tool, steps);
  }
  const family = familyOf(name);
  const server = name.startsWith("mcp__") ? `${name}__` : undefined;
  return (tool) => family.includes(tool) || (server !== undefined && tool.startsWith(server));
}
