import { isJsonObject, type JsonObject } from "../../json.ts";
import { kindOf } from "../../schema-issue.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { parseNoSettings } from "../no-settings.ts";
import { type Path, RuleCollector } from "../rule-collector.ts";
import { agentaoCodec } from "./codec.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";
import { HookLists } from "./hook-lists.ts";

/**
 * Agentao's formats: a plugin's `hooks.json`, with or without `hooks` around its events, or the hooks in a plugin's
 * manifest.
 */
export const agentaoFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const { value } = document;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const collector = new RuleCollector(document, context, { dialect: "agentao", codec: agentaoCodec });
  const lists = new HookLists(collector);
  if (!Object.hasOwn(value, "hooks")) lists.events(value, []);
  else {
    readHooks(value["hooks"], ["hooks"], collector, lists);
    reportMisplacedEvents(value, collector);
  }
  return collector.all;
}

function readHooks(hooks: unknown, path: Path, collector: RuleCollector, lists: HookLists): void {
  if (isJsonObject(hooks)) {
    const inner = hooks["hooks"];
    if (isJsonObject(inner)) readHooks(inner, [...path, "hooks"], collector, lists);
    else lists.events(hooks, path);
  } else if (Array.isArray(hooks) && path.length === 1) {
    for (const [index, part] of hooks.entries()) readHooks(part, [...path, index], collector, lists);
  } else {
    const isFile = typeof hooks === "string";
    const message = isFile
      ? `the hooks are in another file: ${JSON.stringify(hooks)}`
      : `"hooks" must be an object of events, not ${kindOf(hooks)}`;
    const hint = isFile
      ? { hint: "pass that file to hookbox, instead of the plugin's manifest or in addition to it" }
      : {};
    collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", path, message, hint);
  }
}

/** Reports events next to the `hooks` of a file, because Agentao does not read these events. */
function reportMisplacedEvents(value: JsonObject, collector: RuleCollector): void {
  for (const name of Object.keys(value)) {
    const event = Object.hasOwn(AGENTAO_EVENTS, name) ? AGENTAO_EVENTS[name] : undefined;
    if (event === undefined) continue;
    const message = `${name} is outside of "hooks", where it is not read`;
    const hint = 'move it into "hooks"';
    collector.lose({ event }, "HOOK_CONFIG_TYPE", [name], message, { hint, part: "key" });
  }
}
