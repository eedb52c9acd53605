import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { Findings } from "../findings.ts";
import { parseNoSettings } from "../no-settings.ts";
import { openclawCodec } from "./codec.ts";
import { readPluginHooks } from "./plugin-hooks.ts";

export const openclawFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

/**
 * OpenClaw's settings say how long a plugin's hooks may take and what they may see; the hooks themselves are code. So
 * there are no rules here, and only what the settings say wrong is told.
 */
function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const findings = new Findings(document, context, { dialect: "openclaw", codec: openclawCodec });
  for (const { path, message, hint } of readPluginHooks(document.value).complaints) {
    if (path.length > 0) findings.warn("HOOK_CONFIG_TYPE", path, message, hint === undefined ? {} : { hint });
  }
  return findings.all;
}
