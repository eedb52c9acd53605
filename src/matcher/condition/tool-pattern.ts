import { starPattern } from "../../star-pattern.ts";
import type { Steps } from "../steps.ts";
import { descendantsOf } from "./tool-kinds.ts";

/**
 * Returns a test for the tools that a rule names: the tool and its family, all tools of an MCP server, or tools that
 * match a `*`.
 */
export function toolPattern(name: string): (tool: string, steps?: Steps) => boolean {
  if (name.includes("*")) {
    const pattern = starPattern(name);
    return (tool, steps) => pattern.matches(tool, steps);
  }
  const family = descendantsOf(name);
  const server = name.startsWith("mcp__") ? `${name}__` : undefined;
  return (tool) => family.includes(tool) || (server !== undefined && tool.startsWith(server));
}
