import { type Rule, trustOf } from "../rule.ts";

/**
 * Gives each rule of an event a distinct name: a second rule of the same name becomes "NAME #2". Reasons, receipts and
 * `explain` identify rules by name. Rules in `before` keep their names. A hook that is configured twice runs once and
 * keeps its name.
 */
export function withDistinctNames(rules: readonly Rule[], before: readonly Rule[] = []): readonly Rule[] {
  const taken = new Set<string>();
  /** The given names, by hook. */
  const given = new Map<string, string>();
  /** The next number to try, by name. Without it, thousands of rules of one name would take quadratic time. */
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
  // More trusted rules get their names first: state is stored under a rule's name, and a project file must not change
  // that name.
  const byTrust = [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
  const named = new Map(byTrust.map((rule) => [rule, take(rule)]));
  return rules.map((rule) => named.get(rule) ?? rule);
}
