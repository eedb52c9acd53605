import { trustOf } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";

/**
 * Gives each rule of an event a distinct name, because reasons, receipts and `explain` identify rules by name. The
 * second rule of the same name becomes "NAME #2". Rules in `before` keep their names. A hook that is configured twice
 * runs once, so its copies share a name.
 */
export function withDistinctNames(rules: readonly Rule[], before: readonly Rule[] = []): readonly Rule[] {
  const taken = new Set<string>();
  /** The names that were given so far, by hook. */
  const given = new Map<string, string>();
  /** The next number for each name. Without this map, thousands of rules of one name would take quadratic time. */
  const nextNumbers = new Map<string, number>();
  const free = ({ event, name }: Rule): string => {
    const key = JSON.stringify([event, name]);
    for (let number = nextNumbers.get(key) ?? 1; ; number += 1) {
      const numbered = number === 1 ? name : `${name} #${number}`;
      if (taken.has(JSON.stringify([event, numbered]))) continue;
      nextNumbers.set(key, number + 1);
      return numbered;
    }
  };
  const take = (rule: Rule): Rule => {
    const { event, identity } = rule;
    const hook = identity === undefined ? undefined : JSON.stringify([event, rule.name, identity]);
    const name = (hook === undefined ? undefined : given.get(hook)) ?? free(rule);
    taken.add(JSON.stringify([event, name]));
    if (hook !== undefined) given.set(hook, name);
    return name === rule.name ? rule : Object.freeze({ ...rule, name });
  };
  for (const rule of before) take(rule);
  // More trusted rules get their names first. State is stored under a rule's name, and a project file must not change
  // that name.
  const byTrust = [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
  const named = new Map(byTrust.map((rule) => [rule, take(rule)]));
  return rules.map((rule) => named.get(rule) ?? rule);
}
