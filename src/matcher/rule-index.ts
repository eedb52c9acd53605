import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf, contractOfEvent, subjectOf } from "../events/lookup.ts";
import { mostTrustedFirst, trustOf } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";
import { withoutDuplicates } from "./duplicates.ts";
import { Narrowing } from "./narrowing.ts";
import { MatchingBudget } from "./steps.ts";
import { compileMatcher, describeMatch, type Matcher, matches, matchesWithin } from "./tool-name.ts";

interface Entry {
  readonly position: number;
  readonly rule: Rule;
  readonly matcher: Matcher;
}

interface EventRules {
  readonly always: Entry[];
  readonly byName: Map<string, Entry[]>;
  /** Rules with patterns, sorted by trust, highest first, because the rules of one side share their steps. */
  readonly patterns: Entry[];
  /** Cached selections, by subject. The cache is bounded, because there may be many file names. */
  readonly remembered: Map<string, Selection>;
}

/**
 * The rules that a subject selects. Conditions and filters are tested for each event, because they depend on the rest
 * of the event.
 */
interface Selection {
  readonly rules: readonly Rule[];
  /** The rules with a condition or a filter, most trusted first. */
  readonly narrowed: readonly Rule[];
}

const MAX_REMEMBERED = 1_024;
/** Longest subject that is cached. Tool names are short. */
const MAX_REMEMBERED_LENGTH = 256;
const NONE: readonly Rule[] = Object.freeze([]);

/**
 * Index of rules by event and exact subject. An event without rules costs one map lookup, regardless of the number of
 * rules. Immutable: registering a rule builds a new index.
 */
export class RuleIndex {
  /** All rules in verdict order: priority descending, then configuration order. */
  readonly rules: readonly Rule[];
  readonly #events = new Map<string, EventRules>();
  readonly #matchers = new Map<Rule, Matcher>();
  readonly #narrowings = new Map<Rule, Narrowing>();
  /** Agents that rules name, with the highest trust among the files that define each agent. */
  readonly #agents = new Map<string, number>();

  /**
   * `rules` are in configuration order. Throws for an invalid matcher, condition or filter; callers check these first.
   */
  constructor(rules: readonly Rule[]) {
    // Equal priorities keep configuration order, because Array.prototype.sort is stable.
    this.rules = Object.freeze([...rules].sort((a, b) => b.priority - a.priority));
    for (const [position, rule] of this.rules.entries()) {
      const style = contractOf(rule.event, rule.dialect)?.matcherStyle ?? "wide";
      const compiled = compileMatcher(rule.matcher, style);
      if (!compiled.ok) throw new TypeError(`rule ${rule.id}: ${compiled.message}`);
      this.#matchers.set(rule, compiled.matcher);
      const narrowing = Narrowing.of(rule);
      if (narrowing !== undefined) this.#narrowings.set(rule, narrowing);
      this.#add({ position, rule, matcher: compiled.matcher });
      const { agent, layer } = rule;
      if (agent !== undefined)
        this.#agents.set(agent.name, Math.max(trustOf(layer), this.#agents.get(agent.name) ?? 0));
    }
    for (const { patterns } of this.#events.values())
      patterns.sort((one, other) => trustOf(other.rule.layer) - trustOf(one.rule.layer));
  }

  #add(entry: Entry): void {
    const rules = this.#rulesOf(entry.rule.event);
    // A rule whose event is unknown always applies, because the field that its matcher tests is unknown too.
    if (entry.matcher.kind === "all" || entry.rule.event === "*") rules.always.push(entry);
    else if (entry.matcher.kind === "pattern") rules.patterns.push(entry);
    else {
      const { rule, matcher } = entry;
      const isTool = contractOf(rule.event, rule.dialect)?.subject === "tool_name";
      const spelled = isTool ? matcher.names.flatMap((name) => rule.codec.toolSpellings?.(name) ?? []) : [];
      for (const name of new Set([...matcher.names, ...spelled])) {
        const entries = rules.byName.get(name);
        if (entries === undefined) rules.byName.set(name, [entry]);
        else entries.push(entry);
      }
    }
  }

  #rulesOf(event: string): EventRules {
    let rules = this.#events.get(event);
    if (rules === undefined) {
      rules = { always: [], byName: new Map(), patterns: [], remembered: new Map() };
      this.#events.set(event, rules);
    }
    return rules;
  }

  matcherOf(rule: Rule): Matcher {
    return this.#matchers.get(rule) ?? { kind: "all" };
  }

  /**
   * Returns the rules that match an event, in verdict order. Includes rules whose side has used up its steps, because
   * not running a guard is the unsafe direction.
   */
  select(event: HookEvent, budget = new MatchingBudget()): readonly Rule[] {
    return budget.once(event, () => this.#select(event, budget));
  }

  #select(event: HookEvent, budget: MatchingBudget): readonly Rule[] {
    const rules = this.#events.get(event.name);
    // Rules whose event could not be read apply to every event.
    const everywhere = this.#events.get("*");
    const agent = this.#agents.size === 0 ? undefined : this.#agentOf(event);
    const isFor = ({ rule }: Entry): boolean => rule.agent === undefined || this.#isForAgent(rule, agent);
    if (rules === undefined)
      return everywhere === undefined ? NONE : everywhere.always.filter(isFor).map((entry) => entry.rule);

    const contract = contractOfEvent(event);
    const subject = subjectOf(contract, event);
    const key = subject === undefined || agent === undefined ? subject : `${agent}\0${subject}`;
    const known = key === undefined ? undefined : rules.remembered.get(key);
    if (known !== undefined) return this.#narrow(known, event, contract, budget);

    const names = subject === undefined ? [] : [...new Set([subject, ...spellingsIn(contract, event)])];
    let isSure = true;
    const fits = ({ matcher, rule }: Entry): boolean => {
      if (subject === undefined) return true;
      const fit = matchesWithin(budget.stepsOf(rule), matcher, [...names, ...ownSpellings(rule, contract, subject)]);
      isSure &&= fit !== "doubt";
      return fit !== false;
    };
    const selected = [
      ...rules.always,
      ...(everywhere?.always ?? []),
      ...(subject === undefined ? everyNamed(rules) : entriesNamed(rules, names)),
      ...rules.patterns.filter(fits),
    ]
      .filter(isFor)
      .sort((a, b) => a.position - b.position);
    const chosen: readonly Rule[] =
      selected.length === 0 ? NONE : Object.freeze(withoutDuplicates(selected.map((entry) => entry.rule)));
    const answer = {
      rules: chosen,
      narrowed: mostTrustedFirst(chosen.filter((rule) => this.#narrowings.has(rule))),
    };
    if (isSure && key !== undefined && key.length <= MAX_REMEMBERED_LENGTH) {
      if (rules.remembered.size >= MAX_REMEMBERED) rules.remembered.clear();
      rules.remembered.set(key, answer);
    }
    return this.#narrow(answer, event, contract, budget);
  }

  /** Returns the agent that an event names, if rules name that agent too. */
  #agentOf(event: HookEvent): string | undefined {
    const name = agentNamedBy(event);
    return typeof name === "string" && name !== "" && this.#agents.has(name) ? name : undefined;
  }

  /**
   * Whether a rule applies to an agent. A less trusted file cannot disable a default rule by defining an agent of the
   * same name.
   */
  #isForAgent({ agent, layer }: Rule, name: string | undefined): boolean {
    if (agent === undefined || agent.name === name) return true;
    return agent.isDefault && (name === undefined || (this.#agents.get(name) ?? 0) < trustOf(layer));
  }

  #narrow(
    { rules, narrowed }: Selection,
    event: HookEvent,
    contract: EventContract,
    budget: MatchingBudget,
  ): readonly Rule[] {
    if (narrowed.length === 0) return rules;
    const fits = (rule: Rule): boolean =>
      this.#narrowings.get(rule)?.test(event, contract, budget.stepsOf(rule)).fits ?? true;
    const excluded = new Set(narrowed.filter((rule) => !fits(rule)));
    return rules.filter((rule) => !excluded.has(rule));
  }

  /**
   * Returns one line for `explain`: whether matcher, filter and condition fit, and whether the same hook is configured
   * earlier.
   */
  describe(rule: Rule, event: HookEvent): string {
    const { identity } = rule;
    const selected = identity === undefined ? [] : this.select(event);
    const isDuplicate = !selected.includes(rule) && selected.some((other) => other.identity === identity);
    return `${this.#describeFit(rule, event)}${isDuplicate ? "; the same hook is configured before it" : ""}`;
  }

  #describeFit(rule: Rule, event: HookEvent): string {
    if (!this.#isForAgent(rule, this.#agentOf(event))) return `the event is not one of agent "${rule.agent?.name}"`;
    const contract = contractOfEvent(event);
    const subject = subjectOf(contract, event);
    const matcher = this.matcherOf(rule);
    const spellings =
      subject === undefined ? [] : [...spellingsIn(contract, event), ...ownSpellings(rule, contract, subject)];
    const why = describeMatch(matcher, subject, contract, spellings);
    const narrowing = this.#narrowings.get(rule);
    if (narrowing === undefined) return why;
    if (contract.subject !== null && !matches(matcher, subject, ...spellings)) return why;
    return `${why}; ${narrowing.test(event, contract).why}`;
  }
}

/**
 * Returns the agent that an event is about. An agent switch without `agent_name` is about the agent that delegates a
 * task, both for the delegation and for the return.
 */
function agentNamedBy({ name, payload }: HookEvent): unknown {
  const { agent_name: named = "", agent_switch_kind: kind, from_agent: from, to_agent: to } = payload;
  if (name !== "AgentSwitch" || named !== "") return named;
  return kind === "transfer_task_return" ? to : from;
}

/** Returns all rules with names, for an event that lacks the subject. Not running a guard is the unsafe direction. */
function everyNamed(rules: EventRules): Entry[] {
  return [...new Set([...rules.byName.values()].flat())];
}

/** Returns the agent's other names for the tool. */
function spellingsIn(contract: EventContract, event: HookEvent): readonly string[] {
  return contract.subject === "tool_name" ? (event.toolNames ?? []) : [];
}

/** Returns the names that the rule's author may have used for the tool. */
function ownSpellings(rule: Rule, contract: EventContract, subject: string): readonly string[] {
  return contract.subject === "tool_name" ? (rule.codec.toolSpellings?.(subject) ?? []) : [];
}

function entriesNamed(rules: EventRules, names: readonly string[]): readonly Entry[] {
  const [only, ...others] = names;
  if (others.length === 0) return rules.byName.get(only ?? "") ?? [];
  return [...new Set(names.flatMap((name) => rules.byName.get(name) ?? []))];
}
