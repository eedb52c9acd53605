import type { JsonObject } from "../../json.ts";
import type { Rule } from "../../rule.ts";
import type { ConfigWriter } from "../dialect.ts";
import { translateMatcher } from "../translate-matcher.ts";
import { asShellLine, noSuchKind } from "../write-hook.ts";
import { type Fate, type Path, type Remark, wholeSeconds, withoutUndefined } from "../writing.ts";
import { agentaoCodec } from "./codec.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";

/** Writes rules as Agentao's `hooks.json`: event -> flat rules. */
export const agentaoWriter: ConfigWriter = { keepsPriority: false, write };

/** Agentao's code compares whole names and has neither lists nor `^…$`, so a list becomes one rule per name. */
const LANGUAGE = { dialect: "agentao", codec: agentaoCodec, toolNames: "canonical", oneNameEach: true } as const;
const DEFAULT_TIMEOUT_SECONDS = 60;

/** The matcher's key at events that are not about tools. `undefined`: the event ignores matchers. */
const MATCHER_KEY: Readonly<Record<string, string | undefined>> = {
  PreCompact: "trigger",
  Stop: undefined,
  UserPromptSubmit: undefined,
};

function write(rules: readonly Rule[]): ReturnType<ConfigWriter["write"]> {
  const events: Record<string, JsonObject[]> = {};
  const fates = rules.map((rule): Fate => {
    const { event } = rule;
    if (!Object.hasOwn(AGENTAO_EVENTS, event)) return { refused: `agentao has no event ${event}` };
    const fields = handlerFields(rule);
    if ("refused" in fields) return fields;
    const { matchers, remarks } = translateMatcher(rule, LANGUAGE);
    const seconds = wholeSeconds(rule.timeoutMs);
    const time = seconds !== DEFAULT_TIMEOUT_SECONDS ? { timeout: seconds } : {};
    events[event] ??= [];
    const list = events[event];
    const paths = matchers.map((matcher): Path => {
      list.push(withoutUndefined({ ...fields.hook, ...time, matcher: matcherField(event, matcher) }));
      return ["hooks", event, list.length - 1];
    });
    return { paths, remarks: [...fields.remarks, ...remarks, ...expressions(rule, matchers)] };
  });
  return { value: { hooks: events }, fates };
}

function matcherField(event: string, matcher: string | undefined): JsonObject | undefined {
  const key = Object.hasOwn(MATCHER_KEY, event) ? MATCHER_KEY[event] : "toolName";
  return key === undefined || matcher === undefined || matcher === "" ? undefined : { [key]: matcher };
}

function expressions({ event, dialect }: Rule, matchers: readonly (string | undefined)[]): Remark[] {
  const pattern = matchers.find((matcher) => matcher?.startsWith("^") && matcher.endsWith("$"));
  if (pattern === undefined || dialect === "agentao" || event === "PreCompact") return [];
  const why =
    "agentao's documentation has such patterns, but its code compares them with the whole name, so they never match";
  return [{ what: `matcher "${pattern}"`, why, consequence: event === "PreToolUse" ? "looser" : "changed" }];
}

type Fields = { readonly hook: JsonObject; readonly remarks: readonly Remark[] } | { readonly refused: string };

function handlerFields({ handler, event }: Rule): Fields {
  if (handler.type === "context" && event === "UserPromptSubmit")
    return handler.fillsUserMessage || !handler.text.includes("{userMessage}")
      ? { hook: { type: "prompt", prompt: handler.text }, remarks: [] }
      : { refused: "agentao replaces {userMessage} with the user's prompt, and this text means it literally" };
  if (handler.type !== "command") return { refused: noSuchKind("agentao", handler) };
  const line = asShellLine(handler, "agentao");
  return "refused" in line ? line : { hook: { type: "command", command: line.command }, remarks: line.remarks };
}
