import { z } from "zod";
import type { JsonObject } from "../../event.ts";
import { isJsonObject } from "../../event.ts";
import { ANSWERS, type Handler } from "../../rule.ts";
import { schemaProblems } from "../config-problems.ts";
import type { ConfigDocument, ConfigFormat, ConfigSettings, ParseContext, ParsedConfig } from "../dialect.ts";
import type { HandlerFormat, RuleParts, Unfit } from "../handler-format.ts";
import { CLAUDE_HANDLERS, HTTP_LISTS } from "../handler-shapes.ts";
import { parseMatcherGroups } from "../matcher-groups.ts";
import { askedTooMuch, networkFor } from "../network.ts";
import { nameOf } from "../rule-name.ts";
import { claudeCodeCodec } from "./codec.ts";

/** Claude Code: `settings.json` in any of its places, and a plugin's `hooks/hooks.json`. */
export const claudeCodeFormat: ConfigFormat = { parseSettings, parseRules };

const SETTINGS = z.looseObject({
  disableAllHooks: z.boolean().exactOptional(),
  allowManagedHooksOnly: z.boolean().exactOptional(),
  ...HTTP_LISTS,
});

function parseSettings(document: ConfigDocument): ReturnType<ConfigFormat["parseSettings"]> {
  const problems = schemaProblems(document, SETTINGS, document.value, []);
  if (problems.length > 0) return { settings: {}, problems };
  const { disableAllHooks, allowManagedHooksOnly, allowedHttpHookUrls, httpHookAllowedEnvVars } =
    document.value as ConfigSettings;
  return {
    settings: {
      ...(disableAllHooks === undefined ? {} : { disableAllHooks }),
      ...(allowManagedHooksOnly === undefined ? {} : { allowManagedHooksOnly }),
      ...(allowedHttpHookUrls === undefined ? {} : { allowedHttpHookUrls }),
      ...(httpHookAllowedEnvVars === undefined ? {} : { httpHookAllowedEnvVars }),
    },
    problems,
  };
}

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const value = document.value;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const { hooks } = value;
  // Settings files have many other keys; one without hooks simply has no rules.
  if (hooks === undefined) return { rules: [], problems: [] };
  return parseMatcherGroups(document, ["hooks"], hooks, context, formatOf(document));
}

const PLUGIN_FILE = /(?:^|[/\\])hooks\.json$/;

function formatOf(document: ConfigDocument): HandlerFormat {
  const isPlugin = PLUGIN_FILE.test(document.file);
  const sessionEndSeconds = sessionEndBudget(document.value, isPlugin);
  return {
    dialect: "claude-code",
    codec: claudeCodeCodec,
    unknownKeys: "warning",
    handlers: CLAUDE_HANDLERS,
    available: ["command", "http"],
    // Only a skill's frontmatter has hooks that run once.
    inertKeys: ["once"],
    // All settings files together, but each plugin by itself: its commands name files of its own.
    identityScope: ({ file }) => (isPlugin ? file : "settings"),
    toRule: (value, context, _, eventName) => toRule(value, context, secondsOf(value, eventName, sessionEndSeconds)),
  };
}

/** Seconds, where an event's hooks get less than the usual ten minutes. */
const EVENT_TIMEOUT_SECONDS: Readonly<Record<string, number>> = {
  UserPromptSubmit: 30,
  PreModelSwitch: 30,
  PostModelSwitch: 30,
  MessageDisplay: 10,
};
const DEFAULT_TIMEOUT_SECONDS = 600;
const SESSION_END_SECONDS = { least: 1.5, most: 60 } as const;

function secondsOf({ timeout }: JsonObject, eventName: string, sessionEndSeconds: number): number {
  const own = timeout as number | undefined;
  if (eventName === "SessionEnd") return Math.min(own ?? sessionEndSeconds, sessionEndSeconds);
  return own ?? EVENT_TIMEOUT_SECONDS[eventName] ?? DEFAULT_TIMEOUT_SECONDS;
}

/** All hooks at a session's end share what the longest of a settings file asks for. A plugin's cannot ask for more. */
function sessionEndBudget(value: unknown, isPlugin: boolean): number {
  const { least, most } = SESSION_END_SECONDS;
  const hooks = isJsonObject(value) && isJsonObject(value["hooks"]) ? value["hooks"] : {};
  const groups = isPlugin ? [] : listOf(hooks["SessionEnd"]);
  const asked = groups
    .flatMap((group) => (isJsonObject(group) ? listOf(group["hooks"]) : []))
    .map((hook) => (isJsonObject(hook) && typeof hook["timeout"] === "number" ? hook["timeout"] : least));
  return Math.min(most, Math.max(least, ...asked));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type ClaudeHook =
  | z.infer<z.ZodObject<typeof CLAUDE_HANDLERS.command>>
  | z.infer<z.ZodObject<typeof CLAUDE_HANDLERS.http>>;

function toRule(value: JsonObject, context: ParseContext, seconds: number): RuleParts | Unfit {
  const hook = value as unknown as ClaudeHook;
  const tooMuch = hook.type === "http" ? askedTooMuch(context.layer, hook) : undefined;
  if (tooMuch !== undefined) return tooMuch;
  const handler = handlerOf(hook, context);
  const rewakes = hook.type === "command" && hook.asyncRewake === true;
  return {
    name: nameOf(handler),
    handler,
    timeoutMs: seconds * 1_000,
    onFailure: hook.onFailure,
    mode: "enforce",
    may: ANSWERS,
    priority: 0,
    async: (hook.type === "command" && hook.async === true) || rewakes,
    ...(rewakes ? { rewakes } : {}),
    ...(hook.if === undefined ? {} : { condition: hook.if }),
  };
}

function handlerOf(hook: ClaudeHook, context: ParseContext): Handler {
  if (hook.type === "http") {
    return {
      type: "http",
      url: hook.url,
      headers: hook.headers ?? {},
      allowedEnvVars: hook.allowedEnvVars ?? [],
      network: networkFor(context.layer, false),
    };
  }
  return {
    type: "command",
    command: hook.command,
    ...(hook.args === undefined ? {} : { args: hook.args }),
    ...(hook.shell === undefined ? {} : { shell: hook.shell }),
  };
}
