import { type Rule, trustOf } from "../rule.ts";

/**
 * The rules without those that are configured like one before them, each kept where it first stands. Where an agent
 * counts a less trusted file first, the rule that stays is of the most trusted one: its terms are not the other's to set.
 */
export function withoutDuplicates(rules: readonly Rule[]): readonly Rule[] {
  const places = new Map<string, number>();
  const kept: Rule[] = [];
  for (const rule of rules) {
    const { identity } = rule;
    const place = identity === undefined ? undefined : places.get(identity);
    const first = place === undefined ? undefined : kept[place];
    if (place === undefined || first === undefined) {
      if (identity !== undefined) places.set(identity, kept.length);
      kept.push(rule);
    } else if (trustOf(rule.layer) > trustOf(first.layer)) kept[place] = rule;
  }
  return kept.length === rules.length ? rules : kept;
}
