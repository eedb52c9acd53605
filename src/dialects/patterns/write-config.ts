import { isEventOf } from "../../events/lookup.ts";
import type { JsonObject } from "../../json.ts";
import type { Rule } from "../../rule.ts";
import { askingFields } from "../asking-handlers.ts";
import type { ConfigWriter } from "../dialect.ts";
import { givenName } from "../rule-name.ts";
import { translateMatcher } from "../translate-matcher.ts";
import { GroupedHooks } from "../write-groups.ts";
import { asShellLine, httpFields, noSuchKind } from "../write-hook.ts";
import { type Fate, type Remark, withoutUndefined } from "../writing.ts";
import { patternsCodec } from "./codec.ts";

/** Writes rules as `hooks_config:` of the generic pattern. */
export const patternsWriter: ConfigWriter = { keepsPriority: false, write };

const LANGUAGE = { dialect: "patterns", codec: patternsCodec, toolNames: "canonical" } as const;
const DEFAULT_TIMEOUT_SECONDS = 60;

function write(rules: readonly Rule[]): ReturnType<ConfigWriter["write"]> {
  const groups = new GroupedHooks(["hooks_config"]);
  const fates = rules.map((rule): Fate => {
    if (!isEventOf(rule.event, "patterns")) return { refused: `patterns has no event ${rule.event}` };
    const handler = handlerFields(rule);
    if ("refused" in handler) return handler;
    const { matchers, remarks } = translateMatcher(rule, LANGUAGE);
    const { type, ...rest } = handler.fields;
    const hook = { ...(type === undefined ? {} : { type }), ...nameOfRule(rule), ...rest, ...commonFields(rule) };
    const paths = matchers.map((matcher) => groups.add(rule.event, matcher === undefined ? {} : { matcher }, hook));
    return { paths, remarks: [...handler.remarks, ...remarks] };
  });
  return { value: { hooks_config: groups.value }, fates };
}

type Fields = { readonly fields: JsonObject; readonly remarks: readonly Remark[] } | { readonly refused: string };

function handlerFields({ handler }: Rule): Fields {
  if (handler.type === "http") return { fields: httpFields(handler), remarks: [] };
  const { continueOnBlock: _, ...asking } = (handler.type === "mcp_tool" ? undefined : askingFields(handler)) ?? {};
  if (asking["type"] !== undefined) return { fields: asking, remarks: [] };
  if (handler.type !== "command") return { refused: noSuchKind("patterns", handler) };
  const line = asShellLine(handler, "patterns");
  if ("refused" in line) return line;
  return { fields: { type: "command", command: line.command }, remarks: line.remarks };
}

function nameOfRule(rule: Rule): JsonObject {
  const name = givenName(rule);
  return name === undefined ? {} : { name };
}

function commonFields({ condition, timeoutMs, async, once }: Rule): JsonObject {
  const seconds = timeoutMs / 1_000;
  return withoutUndefined({
    if: condition,
    timeout: seconds === DEFAULT_TIMEOUT_SECONDS ? undefined : seconds,
    async: async ? true : undefined,
    once: once === undefined ? undefined : true,
  });
}
