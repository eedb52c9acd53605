import { isEventOf } from "../../events/lookup.ts";
import type { JsonObject } from "../../json.ts";
import type { Rule } from "../../rule.ts";
import { askingFields } from "../asking-handlers.ts";
import type { ConfigWriter, WriteContext } from "../dialect.ts";
import { translateMatcher } from "../translate-matcher.ts";
import { GroupedHooks } from "../write-groups.ts";
import { closesOnFailure, httpFields, noSuchKind } from "../write-hook.ts";
import { type Fate, type Remark, withoutUndefined } from "../writing.ts";
import { claudeCodeCodec } from "./codec.ts";
import { usualSeconds } from "./deadlines.ts";

/** Writes rules as Claude Code's `settings.json`. */
export const claudeCodeWriter: ConfigWriter = { keepsPriority: false, write };

const LANGUAGE = { dialect: "claude-code", codec: claudeCodeCodec, toolNames: "canonical" } as const;

function write(rules: readonly Rule[], { settings }: WriteContext): ReturnType<ConfigWriter["write"]> {
  const groups = new GroupedHooks(["hooks"]);
  const fates = rules.map((rule): Fate => {
    if (!isEventOf(rule.event, "claude-code")) return { refused: `claude-code has no event ${rule.event}` };
    const handler = handlerFields(rule);
    if ("refused" in handler) return handler;
    const { matchers, remarks } = translateMatcher(rule, LANGUAGE);
    const hook = { ...handler.fields, ...commonFields(rule) };
    const paths = matchers.map((matcher) => groups.add(rule.event, matcher === undefined ? {} : { matcher }, hook));
    return { paths, remarks: [...handler.remarks, ...remarks] };
  });
  const { disableAllHooks, allowManagedHooksOnly, allowedHttpHookUrls, httpHookAllowedEnvVars } = settings;
  const strictPluginOnlyCustomization = settings.pluginHooksOnly === true ? ["hooks"] : undefined;
  const managed = { allowManagedHooksOnly, strictPluginOnlyCustomization };
  const kept = { disableAllHooks, ...managed, allowedHttpHookUrls, httpHookAllowedEnvVars };
  return { value: { ...withoutUndefined(kept), hooks: groups.value }, fates };
}

type Fields = { readonly fields: JsonObject; readonly remarks: readonly Remark[] } | { readonly refused: string };

function handlerFields({ handler }: Rule): Fields {
  if (handler.type === "http") return { fields: httpFields(handler), remarks: [] };
  const asking = askingFields(handler);
  if (asking !== undefined) return { fields: asking, remarks: [] };
  if (handler.type !== "command") return { refused: noSuchKind("claude-code", handler) };
  const { command, args, shell } = handler;
  const fields = withoutUndefined({ type: "command", command, args, shell: shell === "sh" ? undefined : shell });
  return { fields, remarks: [] };
}

function commonFields(rule: Rule): JsonObject {
  const { condition, timeoutMs, onFailure, handler } = rule;
  const seconds = timeoutMs / 1_000;
  // Claude Code has no `onFailure` for hooks that ask a model or an agent.
  const isJudge = handler.type === "model" || handler.type === "agent";
  const usual = usualSeconds(handler.type === "model" ? "prompt" : handler.type, rule.event);
  const waits = closesOnFailure(rule, "claude-code") ? "block" : onFailure === "ignore" ? "continue" : onFailure;
  return withoutUndefined({
    if: condition,
    // The timeout is always written at a session's end, because one hook's timeout limits all hooks there.
    timeout: seconds === usual && rule.event !== "SessionEnd" ? undefined : seconds,
    async: handler.type === "command" && rule.async && rule.rewakes !== true ? true : undefined,
    asyncRewake: handler.type === "command" && rule.rewakes === true ? true : undefined,
    onFailure: isJudge ? undefined : waits,
  });
}
