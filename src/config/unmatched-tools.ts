import { problemAt } from "../dialects/config-problems.ts";
import type { ConfigDocument, Dialect } from "../dialects/dialect.ts";
import { knownTools, type MeantTool, toolMeantBy } from "../dialects/known-tools.ts";
import type { ErrorCode, Place, Problem } from "../errors.ts";
import { contractOf } from "../events/lookup.ts";
import { isJsonObject } from "../json.ts";
import { readRuleText } from "../matcher/condition/rule-text.ts";
import { compileMatcher } from "../matcher/tool-name.ts";
import type { Rule } from "../rule.ts";
import { type MisformedMatcher, misformedMatcher } from "./misformed-matcher.ts";

/**
 * Warns of names in matchers, conditions and filters that no known tool has and that are close to a known name. Also
 * warns of matchers that fit no tool. Rules with such names never run, and nothing else shows the mistake.
 */
export function unmatchedTools(
  rules: readonly Rule[],
  document: ConfigDocument,
  { name: format }: Pick<Dialect, "name">,
): readonly Problem[] {
  const problems = rules.flatMap((rule) => problemsOf(rule, document, format));
  // All rules of a group have the same matcher, so the same problem is reported once.
  const seen = new Set<string>();
  return problems.filter(({ message, place }) => {
    const key = JSON.stringify([message, place ?? null]);
    return seen.has(key) ? false : seen.add(key);
  });
}

function problemsOf(rule: Rule, document: ConfigDocument, format: string): readonly Problem[] {
  const contract = contractOf(rule.event, rule.dialect);
  if (contract?.subject !== "tool_name" || rule.handler.type === "broken") return [];
  const { matcher, condition, filter, codec } = rule;
  const tools = filter?.tools ?? [];
  const context = { codec, style: contract.matcherStyle, takesIf: FORMATS_WITH_IF.includes(format) };
  const misformed = matcher === undefined ? undefined : misformedMatcher(matcher, context);
  return [
    ...(misformed === undefined ? [] : [problemOf(rule, document, "matcher", "HOOK_CONFIG_MATCHER", misformed)]),
    ...(misformed === undefined ? misnamedInMatcher(rule) : []).map((one) =>
      warning(rule, document, "matcher", matcher, one),
    ),
    ...misnamedInCondition(rule).map((one) => warning(rule, document, "if", condition, one)),
    ...misnamedIn(tools, rule).map((one) => warning(rule, document, "filter", undefined, one)),
  ];
}

const FORMATS_WITH_IF = ["hookbox", "claude-code", "patterns"];

interface Misnamed {
  readonly written: string;
  readonly meant: MeantTool;
}

function misnamedInMatcher(rule: Rule): readonly Misnamed[] {
  const style = contractOf(rule.event, rule.dialect)?.matcherStyle ?? "wide";
  const compiled = compileMatcher(rule.matcher, style);
  if (!compiled.ok || compiled.matcher.kind === "all") return [];
  if (compiled.matcher.kind === "names") return misnamedIn(compiled.matcher.names, rule);
  return misnamedInPattern(rule.matcher ?? "", rule);
}

/** Returns the misspelt names. A list that also contains the correct name is meant for several agents. */
function misnamedIn(names: readonly string[], { codec }: Rule): readonly Misnamed[] {
  return names.flatMap((written) => {
    const meant = toolMeantBy(written, codec);
    return meant === undefined || (meant.isElsewhere && names.includes(meant.name)) ? [] : [{ written, meant }];
  });
}

function misnamedInCondition(rule: Rule): readonly Misnamed[] {
  const read = rule.condition === undefined ? undefined : readRuleText(rule.condition);
  if (read?.ok !== true) return [];
  return read.tool.includes("*") ? misnamedInPattern(read.tool, rule) : misnamedIn([read.tool], rule);
}

/** Matches a word at the start of an alternative. The group `end` tells whether the alternative ends with the word. */
const WORDS = /(?<=^|[\^(|])[A-Za-z][A-Za-z0-9_-]+(?=(?<end>$|[$)|])|)/g;

/** Returns the misspelt names in a pattern. Checks whole alternatives like names, and the case of other words. */
function misnamedInPattern(source: string, rule: Rule): readonly Misnamed[] {
  const ignoresCase = /\(\?[a-z]*i/.test(source);
  const known = knownTools(rule.codec);
  const inCase = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const words = [...source.replace(/\(\?[a-z]*[:)]/g, "(").matchAll(WORDS)].filter(
    ([word]) => !known.some((name) => inCase(name).includes(inCase(word))),
  );
  const whole = words.filter(({ groups }) => groups?.["end"] !== undefined).map(([word]) => word);
  const partial = words.filter(({ groups }) => groups?.["end"] === undefined).map(([word]) => word);
  return [
    ...misnamedIn([...whole, ...known.filter((name) => source.includes(name))], rule),
    ...partial.flatMap((written) => {
      const name = known.find((one) => one.toLowerCase().startsWith(written.toLowerCase()));
      return name === undefined ? [] : [{ written, meant: { name, isElsewhere: false } }];
    }),
  ];
}

function warning(
  rule: Rule,
  document: ConfigDocument,
  key: "matcher" | "if" | "filter",
  value: string | undefined,
  { written, meant }: Misnamed,
): Problem {
  const what = `${key}${value === undefined ? "" : ` "${value}"`}`;
  const message = meant.isElsewhere
    ? `${what} names "${written}", another agent's name for the tool "${meant.name}"`
    : `${what} names "${written}", and no known tool has this name`;
  const hint = meant.isElsewhere
    ? `write "${meant.name}": otherwise the hook runs for this tool only in the agent that calls it "${written}"`
    : `did you mean "${meant.name}"? The hook does not run for "${meant.name}" as it is`;
  return problemOf(rule, document, key, "HOOK_CONFIG_UNKNOWN_TOOL", { message, hint });
}

function problemOf(
  rule: Rule,
  document: ConfigDocument,
  key: "matcher" | "if" | "filter",
  code: ErrorCode,
  { message, hint }: MisformedMatcher,
): Problem {
  const problem = problemAt(document, code, [], message, { hint, severity: "warning" });
  const place = placeOf(rule, document, key) ?? rule.place;
  return place === undefined ? problem : { ...problem, place };
}

/** Returns the place of the key in the rule's own object, or in an object around the rule. */
function placeOf({ place }: Rule, document: ConfigDocument, key: string): Place | undefined {
  const path = (place?.pointer ?? "")
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  for (let length = path.length; length >= 0; length -= 1) {
    const around = path.slice(0, length).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const value = around.reduce<unknown>(
      (inside, part) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, part) : undefined),
      document.value,
    );
    if (isJsonObject(value) && Object.hasOwn(value, key)) return document.locate([...around, key]);
  }
  return undefined;
}
