import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { Findings } from "../findings.ts";
import { parseNoSettings } from "../no-settings.ts";
import { agentaoCodec } from "./codec.ts";

export const agentaoFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const findings = new Findings(document, context, { dialect: "agentao", codec: agentaoCodec });
  findings.lose({ event: "*" }, "HOOK_CONFIG_UNSUPPORTED", [], "this format cannot be read yet");
  return findings.all;
}
