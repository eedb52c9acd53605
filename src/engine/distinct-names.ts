import { type Rule, trustOf } from "../rule.ts";

/**
 * Rules of one event under names of their own: a second rule of the same name is called "NAME #2". Reasons, receipts and
 * `explain` name rules, and two of one name could not be told apart there. `before`: rules that keep their names. A hook
 * that is configured twice runs once, and keeps its name.
 */
export function withDistinctNames(rules: readonly Rule[], before: readonly Rule[] = []): readonly Rule[] {
  const taken = new Set<string>();
  /** By hook. */
  const given = new Map<string, string>();
  /** By name. Below these numbers all are taken: thousands of rules may have one name. */
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
  // The more trusted first: what is remembered of a rule is remembered under its name, which no project's file may change.
  const byTrust = [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
  const named = new Map(byTrust.map((rule) => [rule, take(rule)]));
  return rules.map((rule) => named.get(rule) ?? rule);
}
