import path from "node:path";
import { callersEnvironment } from "../caller.ts";
import type { RuleOrigin } from "../codec.ts";
import type { HookEvent } from "../event.ts";
import { isJsonObject } from "../json.ts";
import { projectEnvironment } from "./canonical-hook.ts";

/** The environment that Claude Code gives a command hook, to the extent that another program can reproduce it. */

/** Events whose hooks may add variables to the environment of the session's later commands. */
const ENV_FILE_EVENTS = ["SessionStart", "Setup", "CwdChanged", "FileChanged"];

const OPTION_PREFIX = "CLAUDE_PLUGIN_OPTION_";

/**
 * Returns variables in addition to hookbox's own environment, which is a hook's environment if the agent started
 * hookbox. Variables of another event or another plugin are `undefined`, so that the hook does not inherit them.
 */
export function claudeEnvironment(event: HookEvent, rule?: RuleOrigin): Readonly<Record<string, string | undefined>> {
  const own = callersEnvironment();
  const root = pluginRoot(rule);
  const isThisPlugin = root !== undefined && root === own["CLAUDE_PLUGIN_ROOT"];
  const options = Object.keys(own).filter((name) => name.startsWith(OPTION_PREFIX));
  const { effort } = event.payload;
  const level = isJsonObject(effort) ? effort["level"] : undefined;
  return {
    ...projectEnvironment(event),
    CLAUDE_EFFORT: typeof level === "string" && level !== "" ? level : own["CLAUDE_EFFORT"],
    CLAUDE_CODE_REMOTE: own["CLAUDE_CODE_REMOTE"],
    CLAUDE_CODE_BRIDGE_SESSION_ID: own["CLAUDE_CODE_BRIDGE_SESSION_ID"],
    CLAUDE_ENV_FILE: ENV_FILE_EVENTS.includes(event.name) ? own["CLAUDE_ENV_FILE"] : undefined,
    CLAUDE_PLUGIN_ROOT: root,
    CLAUDE_PLUGIN_DATA: isThisPlugin ? own["CLAUDE_PLUGIN_DATA"] : undefined,
    ...Object.fromEntries(options.map((name) => [name, isThisPlugin ? own[name] : undefined])),
  };
}

/**
 * Returns the values of `${user_config.KEY}` in a plugin's hook: the plugin options that the agent put into hookbox's
 * environment.
 */
export function pluginOptions(event: HookEvent, rule: RuleOrigin): Readonly<Record<string, string>> {
  const values = Object.entries(claudeEnvironment(event, rule)).flatMap(([name, value]) => {
    if (!name.startsWith(OPTION_PREFIX) || value === undefined) return [];
    const key = name.slice(OPTION_PREFIX.length);
    // Both spellings work, because environment variables usually have capitals and configuration keys do not.
    return [key, key.toLowerCase()].map((spelling): [string, string] => [`user_config.${spelling}`, value]);
  });
  return Object.fromEntries(values);
}

/** The files that may contain a plugin's hooks, with the folder of each file. */
const PLUGIN_FOLDERS: Readonly<Record<string, string>> = { "hooks.json": "hooks", "plugin.json": ".claude-plugin" };

function pluginRoot(rule: RuleOrigin | undefined): string | undefined {
  if (rule?.place === undefined) return undefined;
  const folder = PLUGIN_FOLDERS[path.basename(rule.place.file)];
  return path.basename(rule.baseDir) === folder ? path.dirname(rule.baseDir) : undefined;
}
