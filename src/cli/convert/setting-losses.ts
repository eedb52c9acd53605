import type { ConfigSettings } from "../../dialects/dialect.ts";
import type { Consequence } from "../../dialects/writing.ts";
import type { Rule } from "../../rule.ts";
import type { Loss } from "./loss.ts";
import { canAllow, guards, homeOf } from "./protection.ts";

/** Returns the losses of settings for the whole file. `dialect` and `rules` belong to the new file. */
export function settingLosses(
  from: ConfigSettings,
  to: ConfigSettings,
  { dialect, rules }: { readonly dialect: string; readonly rules: readonly Rule[] },
): Loss[] {
  return Object.entries(from).flatMap(([key, value]): Loss[] => {
    const consequence = key === "disableAllHooks" ? awakening(rules) : "changed";
    const what = MEANINGS[key] ?? key;
    if (isNothing(value) || sameText(value, to[key as keyof ConfigSettings])) return [];
    // Only the patience for a whole event can be lost, because each rule carries its own timeout.
    if (key === "defaults" && from.defaults?.eventPatienceMs === undefined) return [];
    const why = `${dialect} has no such setting`;
    return [{ rule: null, event: null, place: null, what, why, consequence }];
  });
}

/** Returns the consequence of hooks that were disabled before the conversion and run afterwards. */
function awakening(rules: readonly Rule[]): Consequence {
  if (rules.some((rule) => canAllow(rule, homeOf(rule)))) return "looser";
  return rules.some(guards) ? "stricter" : "changed";
}

const MEANINGS: Readonly<Record<string, string>> = {
  disableAllHooks: "disableAllHooks: hooks that are switched off run there",
  allowManagedHooksOnly: "allowManagedHooksOnly: hooks of other files count there",
  pluginHooksOnly: "strictPluginOnlyCustomization: hooks of other files count there",
  allowedHttpHookUrls: "allowedHttpHookUrls: webhooks may send to every address that the new agent allows",
  httpHookAllowedEnvVars: "httpHookAllowedEnvVars: the hooks' own lists of variables count",
  defaultModel: "defaultModel: hooks that name no model ask the agent's own model",
  modelProviders: "modelProviders: the agent's own settings decide where models are asked",
  mcpServers: "mcpServers: servers of tools have to be listed in the agent's own files",
  defaults: "defaults.event.patienceMs",
};

function isNothing(value: unknown): boolean {
  return value === undefined || value === false || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}

function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
