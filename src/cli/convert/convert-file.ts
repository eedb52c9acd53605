import { dirname } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import { unreadable } from "../../dialects/write-hook.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { convertRules } from "./convert-rules.ts";
import { failedTools, powersLost } from "./differences.ts";
import { usualName } from "./format-config.ts";
import type { Loss } from "./loss.ts";
import { canRefuse, lossOfRule } from "./protection.ts";
import type { FileRules } from "./read-rules.ts";

export interface FileConversion {
  readonly text: string;
  readonly losses: readonly Loss[];
  /** The number of rules in the result. */
  readonly carried: number;
  /** Set if the result is a plugin folder. */
  readonly plugin?: PluginFolder;
}

export interface PluginFolder {
  readonly id: string;
  /** The text of each file in the folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The settings that the user adds to the agent's settings. `undefined`: `--out` names no folder. */
  readonly settings: JsonObject | undefined;
  /** The hooks at which the agent must call the plugin. */
  readonly hooks: readonly string[];
}

interface ConversionTask {
  readonly file: string;
  readonly from: Dialect;
  readonly to: Dialect;
  /** The absolute path of the output. `undefined`: standard output. */
  readonly out: string | undefined;
  /** The agent's own settings, which list what a plugin may do. */
  readonly settings?: unknown;
}

export async function convertFile(source: FileRules, task: ConversionTask): Promise<FileConversion> {
  const { file, to, out } = task;
  const writer = await to.writer?.();
  if (writer === undefined) return asPlugin(source, task);
  const target = { dialect: to, writer, file: out ?? usualName(to.name), baseDir: dirname(out ?? file) };
  const { text, losses: others, carried } = await convertRules(source, target);
  const losses = task.from.name === to.name ? others : [...serverLosses(source, to.name), ...others];
  return {
    text,
    losses: [...otherAgents(source), ...losses],
    carried: carried.filter(({ as }) => as.length > 0).length,
  };
}

/** Returns losses for hooks of one agent among several. Formats without agents would run them for all agents. */
function otherAgents({ otherAgents }: FileRules): Loss[] {
  return otherAgents.map((rule) => ({
    ...{ rule: rule.name, event: rule.event, place: rule.place ?? null },
    what: "the whole hook",
    why: `it is for agent "${rule.agent?.name}", and the result is for a single agent: convert a file with that agent alone`,
    consequence: lossOfRule(rule),
  }));
}

/** Returns losses for MCP servers in another file. hookbox reads only the `mcpServers` of its own file. */
function serverLosses({ rules, settings }: FileRules, to: string): Loss[] {
  if (to !== "hookbox") return [];
  return rules.flatMap((rule): Loss[] => {
    const { handler } = rule;
    if (handler.type !== "mcp_tool" || Object.hasOwn(settings.mcpServers ?? {}, handler.server)) return [];
    const why =
      "hookbox does not read the agent's list of servers: add the server to mcpServers, otherwise the hook cannot be loaded";
    const consequence = canRefuse(rule) ? "stricter" : "changed";
    return [
      {
        rule: rule.name,
        event: rule.event,
        place: rule.place ?? null,
        what: `server ${handler.server}`,
        why,
        consequence,
      },
    ];
  });
}

/**
 * Writes a plugin that asks hookbox; the hooks stay in their file. Losses are hooks for events that the agent does not
 * have, events for which the plugin needs a permission, and answers that the agent does not accept.
 */
async function asPlugin(
  { rules }: FileRules,
  { file, from, out, to, settings }: ConversionTask,
): Promise<FileConversion> {
  const [{ PLUGIN_ID, hookOf, settingsFor, writePlugin }, { readPluginHooks, NO_SETTINGS }, { whyNotAsked }] =
    await Promise.all([
      import("../../dialects/openclaw/write-config.ts"),
      import("../../dialects/openclaw/plugin-hooks.ts"),
      import("../../dialects/openclaw/plugin-leave.ts"),
    ]);
  const { text, files, hooks, asked } = writePlugin(rules, { config: file, format: from.name });
  const given = readPluginHooks(settings).entries.get(PLUGIN_ID) ?? NO_SETTINGS;
  const losses = rules.flatMap((rule): Loss[] => {
    const named = { rule: rule.name, event: rule.event, place: rule.place ?? null };
    if (!asked.includes(rule)) {
      const why = `${to.name} has no event ${rule.event}${unreadable(rule) === undefined ? "" : ", and the hook cannot be read"}`;
      return [{ ...named, what: "the whole hook", why, consequence: lossOfRule(rule) }];
    }
    const there = { ...rule, dialect: to.name };
    const powers = [...powersLost(rule, there), ...failedTools(rule, there)].map((remark) => ({ ...named, ...remark }));
    const why = whyNotAsked(hookOf(rule) ?? "", PLUGIN_ID, given);
    if (why === undefined) return powers;
    return [{ ...named, what: "permission", why, consequence: lossOfRule(rule) }, ...powers];
  });
  const folder = out === undefined ? undefined : settingsFor(out, hooks, allowedPlugins(settings));
  return { text, losses, carried: asked.length, plugin: { id: PLUGIN_ID, files, settings: folder, hooks } };
}

/** Returns the `plugins.allow` of the settings. If this list exists, it must contain the plugin. */
function allowedPlugins(settings: unknown): readonly string[] | undefined {
  const plugins = isJsonObject(settings) ? settings["plugins"] : undefined;
  const allow = isJsonObject(plugins) ? plugins["allow"] : undefined;
  return Array.isArray(allow) ? allow.filter((id) => typeof id === "string") : undefined;
}
