import type { EventContract } from "../events/contract.ts";
import { denialWord } from "../events/lookup.ts";
import { type Condition, compileCondition, takesConditions } from "../matcher/condition/condition.ts";
import { changedMeanings } from "../matcher/condition/path/changed-meaning.ts";
import { readRuleText } from "../matcher/condition/rule-text.ts";
import { kindOfTool } from "../matcher/condition/tool-kinds.ts";
import { compileFilter, takesPaths } from "../matcher/filter.ts";
import { compileMatcher } from "../matcher/tool-name.ts";
import { suggest } from "../suggest.ts";
import type { RuleParts, SettingProblem, Speaker } from "./handler-format.ts";

/** The event and the tools of a hook. */
export interface Group {
  readonly event: string;
  readonly contract: EventContract;
  readonly matcher: string | undefined;
  /** The agent whose format the hook uses and whose contract applies to the hook. */
  readonly speaker: Speaker;
}

export function settingProblemsOf(
  parts: NonNullable<RuleParts>,
  { event, contract, matcher }: Omit<Group, "speaker">,
): SettingProblem[] {
  const { condition, filter, lane } = parts;
  const problems: SettingProblem[] = [];
  if (condition !== undefined) {
    const compiled = compileCondition(condition);
    if (!compiled.ok) problems.push({ ...compiled, code: "HOOK_CONFIG_CONDITION", key: "if" });
    else if (!takesConditions(contract)) problems.push(neverRuns("if", event, parts));
    else problems.push(...contradictoryTools(compiled.condition, parts, matcher, contract));
    if (compiled.ok) problems.push(...changedPatterns("if", pathPatternsOf(condition)));
  }
  if (filter !== undefined) {
    const compiled = compileFilter(filter);
    if (!compiled.ok) problems.push({ ...compiled, code: "HOOK_CONFIG_FILTER", key: "filter" });
    else if (filter.tools !== undefined && filter.tools.length > 0 && !takesConditions(contract))
      problems.push(neverRuns("filter", event, parts));
    else if (filter.paths !== undefined && filter.paths.length > 0 && !takesPaths(event, contract))
      problems.push(inert("filter", `${event} names no file, so a hook with a filter by path never runs there`));
    // Only patterns of a limited length, because searching for parts takes the square of it.
    if (compiled.ok) problems.push(...changedPatterns("filter", filter.paths));
  }
  if (lane !== undefined && event !== "PreToolUse")
    problems.push(inert("lane", `${event} has no lanes: the hook is asked with the others`));
  return [...problems, ...ineffectiveHandler(parts, event, contract), ...ineffectiveRefusals(parts, event, contract)];
}

function pathPatternsOf(condition: string): readonly string[] {
  const rule = readRuleText(condition);
  if (!rule.ok || rule.specifier === undefined) return [];
  return ["file", "search"].includes(kindOfTool(rule.tool).kind) ? [rule.specifier] : [];
}

function changedPatterns(key: "if" | "filter", patterns: readonly string[] = []): SettingProblem[] {
  const changes = patterns.flatMap(changedMeanings);
  return changes.map((change) => ({ ...change, code: "HOOK_CONFIG_PATTERN", key, severity: "warning" }));
}

/** Finds a condition that names none of the matcher's tools, so that the hook never runs. */
function contradictoryTools(
  condition: Condition,
  parts: NonNullable<RuleParts>,
  matcher: string | undefined,
  contract: EventContract,
): SettingProblem[] {
  const matched = compileMatcher(matcher, contract.matcherStyle);
  if (!matched.ok || matched.matcher.kind !== "names") return [];
  const { names } = matched.matcher;
  if (names.some((name) => condition.concerns(name))) return [];
  const text = parts.condition ?? "";
  const message = `condition "${text}" names none of the tools of the matcher "${matcher}", so the hook never runs`;
  const hint = suggest(/^[^(]*/.exec(text)?.[0].trim() ?? "", names) ?? "name the same tool in both";
  return [{ ...inert("if", message), hint, severity: refusesOnly(parts) ? "error" : "warning" }];
}

function ineffectiveHandler(
  { handler, may }: NonNullable<RuleParts>,
  event: string,
  contract: EventContract,
): SettingProblem[] {
  if (handler.type === "command" && handler.args !== undefined && handler.shell !== undefined)
    return [inert("shell", "a command with args is started without a shell")];
  if (handler.type === "model" && handler.answer === "decision" && denialWord(contract) === undefined)
    return [inert("schema", `${event} has no decision to make, so the model's decision has no effect`)];
  const key = handler.type === "context" ? "text" : "prompt";
  if (handler.type !== "context" && !(handler.type === "model" && handler.answer === "text")) return [];
  if (contract.context === null) return [inert(key, `${event} takes no text, so the hook adds nothing`)];
  return may.includes("context") ? [] : [inert("may", 'the hook only adds text, and "may" does not list "context"')];
}

/** Finds refusals that have no effect, because the rule's author would believe that the gate is guarded. */
function ineffectiveRefusals(parts: NonNullable<RuleParts>, event: string, contract: EventContract): SettingProblem[] {
  const blocks = parts.onFailure === "block";
  if (parts.async) {
    const message = "an async hook cannot refuse";
    if (blocks) return [inert("onFailure", message)];
    return refusesOnly(parts) ? [inert("may", message)] : [];
  }
  const goesOn = contract.kind === "observer" || contract.blockMeansGoOn;
  return blocks && goesOn ? [inert("onFailure", `a failure at ${event} cannot refuse`)] : [];
}

function refusesOnly({ may }: NonNullable<RuleParts>): boolean {
  return may.length > 0 && may.every((answer) => answer === "deny" || answer === "ask");
}

/**
 * Returns a problem for a hook that never runs. For a guard that can only refuse it is an error, even if the agent
 * would ignore the mistake.
 */
function neverRuns(key: "if" | "filter", event: string, parts: NonNullable<RuleParts>): SettingProblem {
  return {
    ...inert(key, `${event} is not about a tool, so a hook with "${key}" never runs there`),
    hint: `remove the "${key}", or move the hook to an event such as PreToolUse`,
    severity: refusesOnly(parts) ? "error" : "warning",
  };
}

export function inert(key: string, message: string): SettingProblem {
  return { code: "HOOK_CONFIG_INERT", key, message, severity: "warning" };
}
