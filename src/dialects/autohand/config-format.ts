import { contractOf } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { kindOf } from "../../schema-issue.ts";
import { nearest, suggest } from "../../suggest.ts";
import { hintOf } from "../config-problems.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { parseNoSettings } from "../no-settings.ts";
import { type Path, RuleCollector } from "../rule-collector.ts";
import { autohandCodec } from "./codec.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";
import { HookReader } from "./hook.ts";
import { canonicalEvent } from "./spelling.ts";

/** Reads Autohand's `config.json`: `hooks: {enabled, hooks: [...]}`, a flat list. Ignores the rest of the file. */
export const autohandFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

const SECTION_KEYS = ["enabled", "hooks"];
const NAMES = Object.keys(AUTOHAND_EVENTS);

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const { value } = document;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const collector = new RuleCollector(document, context, { dialect: "autohand", codec: autohandCodec });
  readSection(value["hooks"], collector, new HookReader(collector));
  reportMisplacedHooks(value, collector);
  return collector.all;
}

/** Reports hooks outside of `hooks`, caused by a misspelling or a misplaced bracket. They would guard nothing. */
function reportMisplacedHooks(value: JsonObject, collector: RuleCollector): void {
  for (const key of Object.keys(value)) {
    const event = canonicalEvent(key);
    if (event !== undefined && contractOf(event, "autohand")?.kind === "gate") {
      const options = { hint: 'hooks belong in "hooks": { "hooks": [...] }', part: "key" } as const;
      collector.lose({ event }, "HOOK_CONFIG_UNKNOWN_KEY", [key], `"${key}" is outside of "hooks"`, options);
    } else if (key !== "hooks" && nearest(key, ["hooks"]) !== undefined) loseAll(key, [key], collector);
  }
}

function loseAll(key: string, path: Path, collector: RuleCollector): void {
  const options = { hint: 'did you mean "hooks"?', part: "key" } as const;
  collector.lose({ event: "*" }, "HOOK_CONFIG_UNKNOWN_KEY", path, `unknown key "${key}"`, options);
}

function readSection(section: unknown, collector: RuleCollector, reader: HookReader): void {
  if (section === undefined || section === null) return;
  const lost = { event: "*" };
  if (!isJsonObject(section)) {
    const hint = 'write the list of hooks inside it: "hooks": { "hooks": [...] }';
    collector.lose(lost, "HOOK_CONFIG_TYPE", ["hooks"], `"hooks" must be an object, not ${kindOf(section)}`, { hint });
    return;
  }
  const { enabled, hooks } = section;
  if (enabled === false) return;
  if (enabled !== undefined && enabled !== null && enabled !== true) {
    const message = `"enabled" must be true or false, not ${kindOf(enabled)}; the hooks stay on`;
    collector.warn("HOOK_CONFIG_TYPE", ["hooks", "enabled"], message);
  }
  if (Array.isArray(hooks)) {
    for (const [index, hook] of hooks.entries()) reader.read(hook, ["hooks", "hooks", index]);
  } else if (hooks !== undefined && hooks !== null) {
    const hint = 'every hook names its event: [{ "event": "pre-tool", "command": "./check.sh" }]';
    collector.lose(lost, "HOOK_CONFIG_TYPE", ["hooks", "hooks"], `"hooks" must be a list, not ${kindOf(hooks)}`, {
      hint,
    });
  }
  for (const [key, list] of Object.entries(section)) {
    if (!SECTION_KEYS.includes(key)) readByEvent(key, list, collector, reader);
  }
}

/**
 * Reads hooks that are listed under their event, as a newer version of Autohand's documentation shows. Autohand itself
 * does not read these hooks.
 */
function readByEvent(key: string, list: unknown, collector: RuleCollector, reader: HookReader): void {
  const path: Path = ["hooks", key];
  const near = canonicalEvent(key) === undefined ? nearest(key, NAMES) : key;
  if (near === undefined) {
    if (nearest(key, ["hooks"]) !== undefined) {
      loseAll(key, path, collector);
      return;
    }
    const hint = hintOf(suggest(key, SECTION_KEYS));
    collector.warn("HOOK_CONFIG_UNKNOWN_KEY", path, `unknown key "${key}"`, { ...hint, part: "key" });
    return;
  }
  const event = canonicalEvent(near) as string;
  if (near !== key) {
    const message = `unknown event "${key}"`;
    const options = { hint: `did you mean "${near}"?`, part: "key" as const };
    if (contractOf(event, "autohand")?.kind === "gate")
      collector.lose({ event }, "HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    else collector.warn("HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    return;
  }
  const hint = `Autohand reads only a flat list: { "event": "${key}", … } in "hooks"`;
  collector.warn("HOOK_CONFIG_INERT", path, `hooks under "${key}" run in hookbox, and not in Autohand itself`, {
    hint,
    part: "key",
  });
  const hooks = Array.isArray(list)
    ? list.map((hook, index) => [hook, [...path, index]] as const)
    : [[list, path] as const];
  for (const [hook, at] of hooks) reader.read(isJsonObject(hook) ? { event: key, ...hook } : hook, at);
}
