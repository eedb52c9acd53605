import { suggest } from "../../dialects/suggest.ts";
import type { Problem } from "../../errors.ts";
import type { Handler, Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import type { Asked } from "./connection.ts";

const MAX_NAMED = 20;
const MAX_NAMES_LENGTH = 500;

/** What can be known of a rule before its first event, from what its server says that it offers. */
export function problemsOf(
  { name, place }: Rule,
  { server, tool }: Extract<Handler, { type: "mcp_tool" }>,
  asked: Asked<readonly string[]>,
): readonly Problem[] {
  const common = { code: "HOOK_MCP_SERVER", ...(place === undefined ? {} : { place }) } as const;
  if (!asked.ok) {
    const { failure } = asked;
    const isPackage = failure.code !== undefined;
    // A server may well be up by the first event; a package will not be.
    const severity = isPackage ? "error" : "warning";
    const subject = isPackage ? "" : `MCP server "${server}" `;
    const message = `rule "${name}" cannot call its tool: ${subject}${failure.message}`;
    return [{ severity, message, hint: "until this is mended, the rule fails each time it runs", ...common }];
  }
  if (asked.value.includes(tool)) return [];
  const message = `rule "${name}": MCP server "${server}" has no tool "${tool}"`;
  const offered = cleanLine(asked.value.slice(0, MAX_NAMED).join(", "), MAX_NAMES_LENGTH);
  const hint = suggest(tool, asked.value) ?? (offered === "" ? "it offers none" : `it offers: ${offered}`);
  return [{ severity: "error", message, hint: cleanLine(hint, MAX_NAMES_LENGTH), ...common }];
}
