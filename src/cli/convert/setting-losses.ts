import type { ConfigSettings } from "../../dialects/dialect.ts";
import type { Consequence } from "../../dialects/writing.ts";
import type { Loss } from "./loss.ts";

/** Settings of the whole file that the new one does not have. */
export function settingLosses(from: ConfigSettings, to: ConfigSettings, dialect: string): Loss[] {
  return Object.entries(from).flatMap(([key, value]): Loss[] => {
    const [what, consequence] = MEANINGS[key] ?? [key, "changed"];
    if (isNothing(value) || sameText(value, to[key as keyof ConfigSettings])) return [];
    // Each rule has its own time limit; what remains is the bound on a whole event.
    if (key === "defaults" && from.defaults?.eventBudgetMs === undefined) return [];
    const why = `${dialect} has no such setting`;
    return [{ rule: null, event: null, place: null, what, why, consequence }];
  });
}

const MEANINGS: Readonly<Record<string, readonly [what: string, consequence: Consequence]>> = {
  disableAllHooks: ["disableAllHooks: hooks that are switched off run there", "stricter"],
  allowManagedHooksOnly: ["allowManagedHooksOnly: hooks of other files count there", "changed"],
  allowedHttpHookUrls: ["allowedHttpHookUrls: web hooks may send anywhere that the reader lets them", "changed"],
  httpHookAllowedEnvVars: ["httpHookAllowedEnvVars: the hooks' own lists of variables count", "changed"],
  compat: ["compat", "changed"],
  defaults: ["defaults.event.budgetMs", "changed"],
};

function isNothing(value: unknown): boolean {
  return value === undefined || value === false || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}

function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
