import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { parseNoSettings } from "../no-settings.ts";
import { RuleCollector } from "../rule-collector.ts";
import { openclawCodec } from "./codec.ts";
import { readPluginHooks } from "./plugin-hooks.ts";

export const openclawFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

/**
 * Checks OpenClaw's settings, which set the time limits and permissions of a plugin's hooks. The hooks themselves are
 * code, so the file has no rules and only its problems are reported.
 */
function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const collector = new RuleCollector(document, context, { dialect: "openclaw", codec: openclawCodec });
  for (const { path, message, hint } of readPluginHooks(document.value).problems) {
    if (path.length > 0) collector.warn("HOOK_CONFIG_TYPE", path, message, hint === undefined ? {} : { hint });
  }
  return collector.all;
}
