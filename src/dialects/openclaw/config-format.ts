import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { Findings } from "../findings.ts";
import { parseNoSettings } from "../no-settings.ts";
import { openclawCodec } from "./codec.ts";

export const openclawFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const findings = new Findings(document, context, { dialect: "openclaw", codec: openclawCodec });
  findings.lose({ event: "*" }, "HOOK_CONFIG_UNSUPPORTED", [], "this format cannot be read yet");
  return findings.all;
}
