import { isJsonObject, type JsonObject } from "../../event.ts";
import { kindOf } from "../config-problems.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { Findings } from "../findings.ts";
import { parseNoSettings } from "../no-settings.ts";
import { dockerAgentCodec } from "./codec.ts";
import { HookLists } from "./hook-lists.ts";

/** docker-agent: an agent's YAML with `hooks:` under an agent, or a file that has nothing but hooks. */
export const dockerAgentFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

/** The agent that a file starts with, when it has several. */
const FIRST_AGENT = "root";

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const { value } = document;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const findings = new Findings(document, context, { dialect: "docker-agent", codec: dockerAgentCodec });
  const lists = new HookLists(findings);
  const { agents } = value;
  if (isJsonObject(agents)) readAgents(agents, findings, lists);
  else if (agents !== undefined && agents !== null) {
    findings.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["agents"], `"agents" must be a mapping, not ${kindOf(agents)}`);
  }
  lists.section(value["hooks"], ["hooks"]);
  return findings.all;
}

/** The hooks of one agent. Which one is never a guess: where it would be, nothing passes until somebody has said. */
function readAgents(agents: JsonObject, findings: Findings, lists: HookLists): void {
  const hooked = Object.entries(agents).flatMap(([name, agent]) =>
    isJsonObject(agent) && agent["hooks"] !== undefined && agent["hooks"] !== null ? [name] : [],
  );
  const names = Object.keys(agents);
  const chosen = names.includes(FIRST_AGENT) ? FIRST_AGENT : names.length === 1 ? names[0] : undefined;
  if (chosen === undefined && hooked.length > 0) {
    const message = `none of ${names.length} agents is called "${FIRST_AGENT}", so it is not clear whose hooks are meant`;
    const hint = "put the hooks at the top of a file of their own";
    findings.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["agents"], message, { hint });
    return;
  }
  for (const name of hooked) {
    if (name === chosen) continue;
    const message = `the hooks of agent "${name}" are not read; those of "${chosen}" are`;
    findings.warn("HOOK_CONFIG_INERT", ["agents", name, "hooks"], message, { part: "key" });
  }
  const agent = chosen === undefined ? undefined : agents[chosen];
  if (chosen !== undefined && isJsonObject(agent)) lists.section(agent["hooks"], ["agents", chosen, "hooks"]);
}
