import { isJsonObject } from "../../json.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "../dialect.ts";
import type { HandlerFormat } from "../handler-format.ts";
import { parseMatcherGroups } from "../matcher-groups.ts";
import { type Path, RuleCollector } from "../rule-collector.ts";

/**
 * Reads the `hooks` of a plugin's manifest: an object of events, the content of a `hooks.json`, the path of another
 * file, or a list of these.
 */
export function parseManifestHooks(
  document: ConfigDocument,
  context: ParseContext,
  format: HandlerFormat,
): ParsedConfig {
  const hooks = isJsonObject(document.value) ? document.value["hooks"] : undefined;
  if (!Array.isArray(hooks)) return parsePart(document, ["hooks"], hooks, context, format);
  const parts = hooks.map((part: unknown, index) => parsePart(document, ["hooks", index], part, context, format));
  return { rules: parts.flatMap(({ rules }) => rules), problems: parts.flatMap(({ problems }) => problems) };
}

function parsePart(
  document: ConfigDocument,
  path: Path,
  part: unknown,
  context: ParseContext,
  format: HandlerFormat,
): ParsedConfig {
  if (typeof part === "string") {
    const collector = new RuleCollector(document, context, format);
    const message = `the hooks are in another file: ${JSON.stringify(part)}`;
    const hint = "pass that file to hookbox, instead of the plugin's manifest or in addition to it";
    collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", path, message, { hint });
    return collector.all;
  }
  const inner = isJsonObject(part) ? part["hooks"] : undefined;
  return inner === undefined
    ? parseMatcherGroups(document, path, part, context, format)
    : parseMatcherGroups(document, [...path, "hooks"], inner, context, format);
}
