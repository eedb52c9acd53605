import { misplacedBuiltin, missingArgs } from "../../events/builtins.ts";
import type { EventContract } from "../../events/contract.ts";
import { isEventOf } from "../../events/lookup.ts";
import { isJsonObject } from "../../json.ts";
import { noSuchBuiltin } from "../builtin-names.ts";
import { timeKeyOf } from "../default-timeout.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { unusableTemplate } from "../go-prompt.ts";
import type { HandlerFormat, HandlerProblem, RuleParts, SettingProblem, Speaker } from "../handler-format.ts";
import { parseMatcherGroups } from "../matcher-groups.ts";
import { nameOf } from "../rule-name.ts";
import { inert } from "../setting-problems.ts";
import { builtinName } from "../shipped-guards.ts";
import { askedTooMuch } from "../web-hook-network.ts";
import { hookboxCodec } from "./codec.ts";
import { defaultAnswers } from "./default-answers.ts";
import { readGrants } from "./grants/read-grants.ts";
import { handlerOf, type OwnHook } from "./handlers.ts";
import { withFormatHints } from "./hint-at-format.ts";
import { HOOKBOX_HANDLERS } from "./schema.ts";
import { parseSettings } from "./settings.ts";

/** Reads `hookbox.json`: Claude Code's `hooks` object with extensions. */
export const hookboxFormat: ConfigFormat = { parseSettings, parseRules };

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  if (!isJsonObject(document.value) || document.value["hooks"] === undefined) return { rules: [], problems: [] };
  const origin = { ...context, file: document.file };
  const { rules, problems } = parseMatcherGroups(document, ["hooks"], document.value["hooks"], origin, FORMAT);
  return { rules, problems: withFormatHints(document, problems) };
}

/** Hints for hook types that agents, and users of agents, call by another name. */
const TYPE_HINTS: Readonly<Record<string, string>> = {
  builtin: 'write "type": "function", "run": "builtin:NAME"',
  mcp: 'did you mean "mcp_tool"?',
  llm: 'did you mean "prompt" or "model"?',
  guard: 'did you mean "wasm"?',
  plugin: 'did you mean "wasm"?',
  webhook: 'did you mean "http"?',
  script: 'did you mean "command"?',
};

const FORMAT: HandlerFormat<typeof HOOKBOX_HANDLERS> = {
  dialect: "hookbox",
  typeHints: TYPE_HINTS,
  codec: hookboxCodec,
  unknownKeys: "error",
  handlers: HOOKBOX_HANDLERS,
  speakerOf,
  // The folder is part of the identity, because the same command names another file in another folder.
  identityScope: (_, { baseDir }) => baseDir,
  remarksOn,
  toRule,
};

/**
 * Returns the agent whose format a hook uses. An invalid `speaks` is reported later, with the hook's other problems.
 */
function speakerOf(handler: unknown, { speakers = {} }: ParseContext): Speaker {
  const own = { dialect: "hookbox", codec: hookboxCodec };
  if (!isJsonObject(handler) || typeof handler["speaks"] !== "string") return own;
  const dialect = handler["speaks"];
  const codec = Object.hasOwn(speakers, dialect) ? speakers[dialect] : undefined;
  return codec === undefined ? own : { dialect, codec };
}

function toRule(
  hook: OwnHook,
  context: ParseContext,
  contract: EventContract,
  eventName: string,
): RuleParts | HandlerProblem {
  if (hook.enabled === false) return undefined;
  const refusedFormat = refusedSpeaks(hook, eventName, context);
  if (refusedFormat !== undefined) return refusedFormat;
  const refused = hook.type === "http" || hook.type === "function" ? askedTooMuch(context.layer, hook) : undefined;
  const unusable = refused ?? refusedSettings(hook);
  if (unusable !== undefined) return unusable;
  const handler = handlerOf(hook, context);
  const fallbackMs = context.defaults[timeKeyOf(handler.type)];
  const rewakes = hook.type === "command" && hook.asyncRewake === true;
  return {
    name: hook.name ?? nameOf(handler),
    handler,
    timeoutMs: timeoutOf(hook) ?? fallbackMs,
    onFailure: hook.onFailure,
    mode: hook.mode ?? "enforce",
    may: hook.may ?? defaultAnswers(handler, contract),
    priority: hook.priority ?? 0,
    async: hook.async === true || rewakes,
    ...(rewakes ? { rewakes } : {}),
    ...(hook.lane === undefined ? {} : { lane: hook.lane }),
    ...("strict" in hook && hook.strict === true ? { strict: true } : {}),
    ...(hook.if === undefined ? {} : { condition: hook.if }),
    ...(hook.filter === undefined ? {} : { filter: hook.filter }),
    ...(hook.once === undefined || hook.once === false ? {} : { once: hook.once === true ? "session" : hook.once }),
  };
}

/** Refuses a hook in the format of an agent that has no such event, because the format has no words for the event. */
function refusedSpeaks(hook: OwnHook, eventName: string, { speakers = {} }: ParseContext): HandlerProblem | undefined {
  const speaks = "speaks" in hook ? hook.speaks : undefined;
  if (speaks === undefined) return undefined;
  const refused = (message: string, hint: string): HandlerProblem => ({
    refused: { code: "HOOK_CONFIG_HANDLER", key: "speaks", message, hint },
  });
  if (!Object.hasOwn(speakers, speaks))
    return refused(`the program that reads this file has no codec for hooks of ${speaks}`, "pass its codec");
  if (isEventOf(eventName, speaks)) return undefined;
  return refused(
    `${speaks} has no event ${eventName}, so a hook cannot use its format there`,
    `leave "speaks" out, or move the hook to another event`,
  );
}

/** Refuses a built-in name that does not exist, a prompt that cannot be parsed, and keys that the hook cannot use. */
function refusedSettings(hook: OwnHook): HandlerProblem | undefined {
  if (hook.type === "model") return unusableTemplate(hook.prompt, "prompt");
  if (hook.type !== "function") return undefined;
  if (typeof hook.run === "string") {
    const unknown = noSuchBuiltin(builtinName(hook.run) ?? "");
    return unknown === undefined ? undefined : { refused: { ...unknown, key: "run" } };
  }
  const key = OF_BUILTINS.find((one) => hook[one] !== undefined);
  if (key === undefined) return undefined;
  const message = `"${key}" is for a built-in hook, and this one is a function`;
  return { refused: { code: "HOOK_CONFIG_HANDLER", key, message, hint: 'leave it out, or let "run" name a built-in' } };
}

const OF_BUILTINS = ["args", "speaks", "env", "workingDir", "allowPrivate"] as const;

function remarksOn(hook: OwnHook, context: ParseContext, eventName: string): readonly SettingProblem[] {
  if (hook.enabled === false) return [];
  if (hook.type === "wasm")
    return readGrants(hook.grants, context).problems.map((problem) => ({ ...problem, key: "grants" }));
  if (hook.type === "model" && hook.schema === "pre_tool_use_decision" && hook.may === undefined) {
    const message = 'the model may answer "allow", which counts only if "may" lists it';
    const hint = 'write "may": ["deny", "ask", "allow"], or ["deny", "ask"] if "allow" should not count';
    return [{ ...inert("schema", message), hint }];
  }
  if (hook.type !== "function" || typeof hook.run !== "string") return [];
  const { speaks = "hookbox", args = [] } = hook;
  const name = builtinName(hook.run) ?? "";
  const message = misplacedBuiltin(name, eventName, speaks, args);
  // Only a warning for a hook in an agent's format, because the agent runs the hook. Missing arguments are always an
  // error, because the built-in hook cannot work without them.
  const severity = speaks === "hookbox" || missingArgs(name, args) !== undefined ? "error" : "warning";
  return message === undefined ? [] : [{ code: "HOOK_BUILTIN", key: "run", message, severity }];
}

/** Returns the hook's timeout. If a guard has a timeout among its limits too, the shortest counts. */
function timeoutOf(hook: OwnHook): number | undefined {
  const own = hook.timeoutMs ?? (hook.timeout === undefined ? undefined : hook.timeout * 1_000);
  const limit = hook.type === "wasm" ? hook.limits?.timeoutMs : undefined;
  return own === undefined || limit === undefined ? (own ?? limit) : Math.min(own, limit);
}
