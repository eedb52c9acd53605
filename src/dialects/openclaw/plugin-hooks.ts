import { isJsonObject, type JsonObject } from "../../json.ts";
import { suggest } from "../../suggest.ts";
import { OPENCLAW_EVENTS, OTHER_HOOKS } from "./event-names.ts";

/** An operator's settings for a plugin's hooks: `plugins.entries.<id>.hooks`. */
export interface PluginHooks {
  readonly timeoutMs?: number;
  /** Timeouts in milliseconds, by hook. */
  readonly timeouts: Readonly<Record<string, number>>;
  readonly allowConversationAccess: boolean;
  readonly allowPromptInjection: boolean;
}

interface PluginProblem {
  readonly path: readonly string[];
  readonly message: string;
  readonly hint?: string;
}

interface PluginSettings {
  readonly entries: ReadonlyMap<string, PluginHooks>;
  readonly problems: readonly PluginProblem[];
}

export const NO_SETTINGS: PluginHooks = Object.freeze({
  timeouts: Object.freeze({}),
  allowConversationAccess: false,
  allowPromptInjection: true,
});

export const MAX_HOOK_TIMEOUT_MS = 600_000;
const HOOKS = [...Object.keys(OPENCLAW_EVENTS), ...OTHER_HOOKS];
const KEYS = ["timeoutMs", "timeouts", "allowConversationAccess", "allowPromptInjection"];

/** Reads the settings. Leaves out and reports a value that cannot be used. */
export function readPluginHooks(settings: unknown): PluginSettings {
  const problems: PluginProblem[] = [];
  const entries = new Map<string, PluginHooks>();
  const objectAt = (value: unknown, path: readonly string[]): JsonObject => {
    if (value === undefined) return {};
    if (isJsonObject(value)) return value;
    problems.push({ path, message: `${path.join(".") || "the settings"} must be an object` });
    return {};
  };
  const plugins = objectAt(objectAt(settings, [])["plugins"], ["plugins"]);
  for (const [id, entry] of Object.entries(objectAt(plugins["entries"], ["plugins", "entries"]))) {
    const path = ["plugins", "entries", id];
    const hooks = objectAt(entry, path)["hooks"];
    if (hooks !== undefined)
      entries.set(id, readHooks(objectAt(hooks, [...path, "hooks"]), [...path, "hooks"], problems));
  }
  return { entries, problems };
}

function readHooks(hooks: JsonObject, path: readonly string[], problems: PluginProblem[]): PluginHooks {
  const report = (key: readonly string[], message: string, hint?: string): void => {
    problems.push({ path: [...path, ...key], message, ...(hint === undefined ? {} : { hint }) });
  };
  const time = (value: unknown, key: readonly string[]): number | undefined => {
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_HOOK_TIMEOUT_MS)
      return value as number;
    const range = `a whole number of milliseconds from 1 to ${MAX_HOOK_TIMEOUT_MS}`;
    report(key, `${key.join(".")} must be ${range}; it is ignored`, "milliseconds, as a number: 15000");
    return undefined;
  };
  /** An invalid value counts as `false`, which allows less. */
  const flag = (key: string, absent: boolean): boolean => {
    const value = hooks[key];
    if (value === undefined) return absent;
    if (typeof value === "boolean") return value;
    report([key], `${key} must be true or false; it counts as false`, `${key}: false`);
    return false;
  };
  for (const key of Object.keys(hooks).filter((one) => !KEYS.includes(one)))
    report([key], `unknown key "${key}"`, suggest(key, KEYS));

  const timeouts: [string, number][] = [];
  const named = hooks["timeouts"] ?? {};
  if (!isJsonObject(named)) report(["timeouts"], "timeouts must be an object of hooks and milliseconds");
  else
    for (const [hook, value] of Object.entries(named)) {
      if (!HOOKS.includes(hook)) report(["timeouts", hook], `there is no hook "${hook}"`, suggest(hook, HOOKS));
      const timeoutMs = time(value, ["timeouts", hook]);
      if (timeoutMs !== undefined) timeouts.push([hook, timeoutMs]);
    }
  const timeoutMs = time(hooks["timeoutMs"], ["timeoutMs"]);
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    timeouts: Object.fromEntries(timeouts),
    allowConversationAccess: flag("allowConversationAccess", false),
    allowPromptInjection: flag("allowPromptInjection", true),
  };
}
