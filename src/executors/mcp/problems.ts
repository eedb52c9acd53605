import type { Problem } from "../../errors.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { suggest } from "../../suggest.ts";
import { cleanLine } from "../../text.ts";
import type { Asked } from "./connection.ts";

const MAX_NAMED = 20;
const MAX_NAMES_LENGTH = 500;

/** Returns the problems of a rule that are known before its first event, from its server's list of tools. */
export function problemsOf(
  { name, place }: Rule,
  { server, tool }: HandlerOf<"mcp_tool">,
  asked: Asked<readonly string[]>,
): readonly Problem[] {
  const common = { code: "HOOK_MCP_SERVER", ...(place === undefined ? {} : { place }) } as const;
  if (!asked.ok) {
    const { code, message: why } = asked.failure;
    // A missing package will also be missing at the first event. The failure has its own hint.
    if (code !== undefined)
      return [{ severity: "error", message: `rule "${name}" cannot call its tool: ${why}`, ...common }];
    // The problem is a warning, because the server may be running by the first event.
    const message = `rule "${name}" cannot call its tool: MCP server "${server}" ${why}`;
    return [{ severity: "warning", message, hint: "until this is fixed, the rule fails each time it runs", ...common }];
  }
  if (asked.value.includes(tool)) return [];
  const message = `rule "${name}": MCP server "${server}" has no tool "${tool}"`;
  const offered = cleanLine(asked.value.slice(0, MAX_NAMED).join(", "), MAX_NAMES_LENGTH);
  const hint = suggest(tool, asked.value) ?? (offered === "" ? "it offers none" : `it offers: ${offered}`);
  return [{ severity: "error", message, hint: cleanLine(hint, MAX_NAMES_LENGTH), ...common }];
}
