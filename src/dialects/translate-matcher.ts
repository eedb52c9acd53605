import type { Codec } from "../codec.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf } from "../events/lookup.ts";
import { compileMatcher } from "../matcher/tool-name.ts";
import type { Rule } from "../rule.ts";
import type { Remark } from "./writing.ts";

/** Converts a matcher from the rule's dialect to a matcher of another dialect that matches the same names. */

interface MatcherLanguage {
  readonly dialect: string;
  readonly codec: Codec;
  /** Whether matchers of the dialect use the agent's tool names or the canonical names. */
  readonly toolNames: "own" | "canonical";
  /** Further tools of the agent that a canonical name includes. */
  readonly alsoMeant?: Readonly<Record<string, readonly string[]>>;
  /** Whether a list of names becomes one hook per name, because the agent has no safer way to write a list. */
  readonly oneNameEach?: boolean;
}

interface TranslatedMatcher {
  /** The translated matchers, at least one. `undefined` is a matcher that matches everything. */
  readonly matchers: readonly (string | undefined)[];
  readonly remarks: readonly Remark[];
}

const ALL: TranslatedMatcher = { matchers: [undefined], remarks: [] };

/** Translates the matcher of a rule. Leaves out a matcher that the event ignores. */
export function translateMatcher(rule: Rule, to: MatcherLanguage): TranslatedMatcher {
  const { matcher, dialect, event } = rule;
  const from = contractOf(event, dialect);
  const there = contractOf(event, to.dialect);
  if (dialect === to.dialect) return { matchers: [matcher], remarks: [] };
  if (from === undefined || there === undefined || from.subject === null || there.subject === null) return ALL;
  const compiled = compileMatcher(matcher, from.matcherStyle);
  if (!compiled.ok || compiled.matcher.kind === "all") return ALL;
  if (String(from.subject) !== String(there.subject)) return ALL;
  const isTool = from.subject === "tool_name";
  const gateWord = from.kind === "gate" ? "looser" : "changed";
  const hasOtherNames = isTool && (rule.codec.toolSpellings !== undefined || to.codec.toolSpellings !== undefined);
  const listed =
    compiled.matcher.kind === "names" ? compiled.matcher.names : namesIn(matcher as string, from.matcherStyle);
  if (listed === undefined) {
    const why = `${to.dialect} has other names for some tools, and names in a pattern are not translated`;
    const remarks: Remark[] = hasOtherNames ? [{ what: `matcher "${matcher}"`, why, consequence: gateWord }] : [];
    return { matchers: [patternFor(matcher as string, from.matcherStyle, there.matcherStyle)], remarks };
  }
  const remarks: Remark[] = [];
  const names = listed.flatMap((name) => {
    if (!hasOtherNames) return name;
    const spelled = namesFor(name, rule.codec, to);
    if (spelled === undefined) {
      const why = `${to.dialect} has no known equivalent of this tool, so the hook may never run for it`;
      remarks.push({ what: `matcher "${name}"`, why, consequence: gateWord });
    }
    return spelled ?? name;
  });
  const unique = [...new Set(names)];
  if (to.oneNameEach === true) return { matchers: unique.flatMap((name) => matchersFor([name], there)), remarks };
  return { matchers: matchersFor(unique, there), remarks };
}

/** Returns the tool's names in the other dialect; `undefined` if there is no counterpart. */
export function namesFor(name: string, from: Codec, to: MatcherLanguage): readonly string[] | undefined {
  const known = from.toolSpellings?.(name);
  if (known !== undefined && known.length === 0) return undefined;
  const canonical = known?.[0] ?? name;
  const there = to.codec.toolSpellings?.(canonical);
  if (there !== undefined && there.length === 0) return undefined;
  if (to.toolNames === "canonical" || there === undefined) return [canonical];
  const also = to.alsoMeant !== undefined && Object.hasOwn(to.alsoMeant, canonical) ? to.alsoMeant[canonical] : [];
  return [...there.slice(1), ...(also ?? [])];
}

type Style = EventContract["matcherStyle"];

/** Reads an expression that is only a list of whole names, because some agents have to write lists in this way. */
function namesIn(source: string, style: Style): readonly string[] | undefined {
  const inner = style === "anchored" ? source : /^\^(.*)\$$/.exec(source)?.[1];
  const list = inner === undefined ? undefined : (/^\((?:\?:)?([^()]*)\)$/.exec(inner)?.[1] ?? inner);
  const isBare = list === inner && list?.includes("|") === true && style !== "anchored";
  if (list === undefined || isBare || !/^[\w-]+(?:\|[\w-]+)*$/.test(list)) return undefined;
  return [...new Set(list.split("|"))];
}

function matchersFor(names: readonly string[], { matcherStyle }: EventContract): readonly string[] {
  const list = names.join("|");
  const isKept = (text: string): boolean => {
    const compiled = compileMatcher(text, matcherStyle);
    return (
      compiled.ok &&
      compiled.matcher.kind === "names" &&
      compiled.matcher.names.length === names.length &&
      compiled.matcher.names.every((name, index) => name === names[index])
    );
  };
  if (isKept(list)) return [list];
  const choice = names.map(escaped).join("|");
  return [matcherStyle === "anchored" ? choice : names.length === 1 ? `^${choice}$` : `^(?:${choice})$`];
}

/** Surrounds an expression that matches any part of a name, for dialects whose expressions match the whole name. */
const ANYTHING = "[\\s\\S]*";

function patternFor(source: string, style: Style, to: Style): string {
  if (style === to) return source;
  const isExpression = style === "glob" && source.startsWith("^") && source.endsWith("$");
  const from = isExpression ? "unanchored" : style;
  const expression = from === "glob" ? globAsExpression(source) : source;
  const isWhole = from === "glob" || from === "anchored";
  const wantsWhole = to === "anchored" || to === "glob";
  if (isWhole && !wantsWhole) return `^(?:${expression})$`;
  const whole = isWhole ? expression : anywhere(expression);
  if (to === "glob") return `^(?:${whole})$`;
  if (wantsWhole) return whole;
  // Plain characters alone would be read as a name where both dialects match any part of a name.
  return /^[\w\- ,|]+$/.test(expression) ? `(?:${expression})` : expression;
}

function anywhere(expression: string): string {
  return `${ANYTHING}(?:${expression})${ANYTHING}`;
}

function globAsExpression(source: string): string {
  return source
    .split(/([*?])/)
    .map((part) => (part === "*" ? ANYTHING : part === "?" ? "[\\s\\S]" : escaped(part)))
    .join("");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
