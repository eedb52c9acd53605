import { type Rule, trustOf } from "../rule.ts";

/**
 * Rules of one event under names of their own: a second rule of the same name is called "NAME #2". Reasons, receipts and
 * `explain` name rules, and two of one name could not be told apart there. `before`: rules that keep their names. A hook
 * that is configured twice runs once, and keeps its name.
 */
export function withDistinctNames(rules: readonly Rule[], before: readonly Rule[] = []): readonly Rule[] {
  const holders = new Map<string, Rule>();
  const key = ({ event }: Rule, name: string): string => JSON.stringify([event, name]);
  const take = (rule: Rule): Rule => {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? rule.name : `${rule.name} #${number}`;
      const holder = holders.get(key(rule, name));
      const isSameHook = holder?.identity !== undefined && holder.identity === rule.identity;
      if (holder !== undefined && !isSameHook) continue;
      holders.set(key(rule, name), rule);
      return number === 1 ? rule : Object.freeze({ ...rule, name });
    }
  };
  for (const rule of before) take(rule);
  // The more trusted first: what is remembered of a rule is remembered under its name, which no project's file may change.
  const byTrust = [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
  const named = new Map(byTrust.map((rule) => [rule, take(rule)]));
  return rules.map((rule) => named.get(rule) ?? rule);
}
