import { basename } from "node:path";
import { z } from "zod";
import { isJsonObject } from "../../json.ts";
import type { Handler } from "../../rule.ts";
import { agentHandler, JUDGES_MAY, judgeHandler, mcpToolHandler } from "../asking-handlers.ts";
import { fits, schemaProblems } from "../config-problems.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import {
  AGENT_RULE,
  type HandlerFormat,
  type HandlerIn,
  type HandlerProblem,
  type RuleParts,
  type SettingProblem,
} from "../handler-format.ts";
import { CLAUDE_HANDLERS, HTTP_LISTS } from "../handler-shapes.ts";
import { parseMatcherGroups } from "../matcher-groups.ts";
import { misplacedEvents } from "../misplaced-events.ts";
import { nameOf } from "../rule-name.ts";
import { inert } from "../setting-problems.ts";
import { askedTooMuch, networkFor, webHook } from "../web-hook-network.ts";
import { claudeCodeCodec } from "./codec.ts";
import { secondsOf, sessionEndSeconds } from "./deadlines.ts";
import { fileKind } from "./file-kind.ts";
import { parseManifestHooks } from "./manifest-hooks.ts";

/**
 * Claude Code's format: `settings.json` in any of its places, a plugin's `hooks/hooks.json` or manifest, and the
 * frontmatter of skills and agents.
 */
export const claudeCodeFormat: ConfigFormat = { parseSettings, parseRules };

const SETTINGS = z.looseObject({
  disableAllHooks: z.boolean().exactOptional(),
  allowManagedHooksOnly: z.boolean().exactOptional(),
  strictPluginOnlyCustomization: z.union([z.boolean(), z.array(z.string())]).exactOptional(),
  ...HTTP_LISTS,
});
const OTHER_FILE = z.looseObject({});

function parseSettings(document: ConfigDocument): ReturnType<ConfigFormat["parseSettings"]> {
  const { value } = document;
  // The file of a plugin or a skill sets only its own hooks.
  const isSettings = fileKind(document.file, "") === "settings";
  if (!isSettings || !fits(SETTINGS, value))
    return { settings: {}, problems: schemaProblems(document, isSettings ? SETTINGS : OTHER_FILE, value, []) };
  const { disableAllHooks, allowManagedHooksOnly, allowedHttpHookUrls, httpHookAllowedEnvVars } = value;
  const { strictPluginOnlyCustomization: strict } = value;
  return {
    settings: {
      ...(disableAllHooks === undefined ? {} : { disableAllHooks }),
      ...(allowManagedHooksOnly === undefined ? {} : { allowManagedHooksOnly }),
      ...(strict === true || (Array.isArray(strict) && strict.includes("hooks")) ? { pluginHooksOnly: true } : {}),
      ...(allowedHttpHookUrls === undefined ? {} : { allowedHttpHookUrls }),
      ...(httpHookAllowedEnvVars === undefined ? {} : { httpHookAllowedEnvVars }),
    },
    problems: [],
  };
}

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const value = document.value;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const { hooks } = value;
  const misplaced = misplacedEvents(document, context, { dialect: "claude-code", codec: claudeCodeCodec });
  // A file without hooks has no rules. Settings files have many other keys.
  if (hooks === undefined) return misplaced;
  const format = formatOf(document, context);
  const { rules, problems } =
    basename(document.file) === "plugin.json"
      ? parseManifestHooks(document, context, format)
      : parseMatcherGroups(document, ["hooks"], hooks, context, format);
  return { rules: [...rules, ...misplaced.rules], problems: [...problems, ...misplaced.problems] };
}

function formatOf(document: ConfigDocument, { baseDir }: ParseContext): HandlerFormat<typeof CLAUDE_HANDLERS> {
  const kind = fileKind(document.file, baseDir);
  const sessionEnd = sessionEndSeconds(document.value, kind === "settings");
  return {
    dialect: "claude-code",
    codec: claudeCodeCodec,
    unknownKeys: "warning",
    handlers: CLAUDE_HANDLERS,
    ...(kind === "skill" ? {} : { inertKeys: ["once"] }),
    // A hook for `Stop` in a subagent's own file is a hook for `SubagentStop`.
    ...(kind === "agent" ? { eventNamed: (name) => (name === "Stop" ? "SubagentStop" : name) } : {}),
    // All settings files share one scope. Each plugin, skill and agent has its own scope, because its commands name its
    // own files.
    identityScope: ({ file }) => (kind === "settings" ? "settings" : file),
    remarksOn,
    toRule: (hook, context, _, eventName) => {
      if (isSkipped(hook, eventName) && context.compat === "faithful") return undefined;
      const parts = toRule(hook, context, secondsOf(hook, eventName, sessionEnd));
      const isOnce = kind === "skill" && hook.once === true;
      return isOnce && parts !== undefined && !("refused" in parts) ? { ...parts, once: "session" } : parts;
    },
  };
}

type ClaudeHook = HandlerIn<typeof CLAUDE_HANDLERS>;

function toRule(hook: ClaudeHook, context: ParseContext, seconds: number): RuleParts | HandlerProblem {
  const tooMuch = hook.type === "http" ? askedTooMuch(context.layer, hook) : undefined;
  if (tooMuch !== undefined) return tooMuch;
  const handler = handlerOf(hook, context);
  const rewakes = hook.type === "command" && hook.asyncRewake === true;
  const isJudge = hook.type === "prompt" || hook.type === "agent";
  return {
    ...AGENT_RULE,
    name: nameOf(handler),
    handler,
    timeoutMs: seconds * 1_000,
    // `onFailure` is still present here as an unknown key of hooks that ask a model.
    onFailure: isJudge || !("onFailure" in hook) ? undefined : hook.onFailure === "continue" ? "continue" : "block",
    ...(isJudge ? { may: JUDGES_MAY } : {}),
    async: (hook.type === "command" && hook.async === true) || rewakes,
    ...(rewakes ? { rewakes } : {}),
    ...(hook.if === undefined ? {} : { condition: hook.if }),
  };
}

function handlerOf(hook: ClaudeHook, context: ParseContext): Handler {
  switch (hook.type) {
    case "http":
      return webHook(hook, networkFor(context.layer, false));
    case "prompt":
      return judgeHandler(hook);
    case "agent":
      return agentHandler(hook);
    case "mcp_tool":
      return mcpToolHandler(hook);
    case "command":
      return {
        type: "command",
        command: hook.command,
        ...(hook.args === undefined ? {} : { args: hook.args }),
        ...(hook.shell === undefined ? {} : { shell: hook.shell }),
      };
  }
}

/**
 * Whether Claude Code skips the hook, as it does with agent hooks at PermissionRequest. hookbox runs such hooks unless
 * `compat` is `faithful`, because skipping them opens a gate.
 */
function isSkipped({ type }: ClaudeHook, eventName: string): boolean {
  return type === "agent" && eventName === "PermissionRequest";
}

function remarksOn(hook: ClaudeHook, { compat }: ParseContext, eventName: string): readonly SettingProblem[] {
  if (isSkipped(hook, eventName)) {
    const here = compat === "faithful" ? "hookbox skips them too" : "hookbox runs them";
    return [inert("type", `Claude Code skips agent hooks at PermissionRequest; ${here}`)];
  }
  if (hook.type !== "mcp_tool") return [];
  const { onFailure } = hook;
  if (onFailure === undefined || onFailure === "block" || onFailure === "continue") return [];
  const message = `onFailure ${JSON.stringify(onFailure)} counts as "block"`;
  return [{ code: "HOOK_CONFIG_TYPE", key: "onFailure", message, severity: "warning" }];
}
