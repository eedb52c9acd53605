import { trustOf } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";

/**
 * Removes rules that are configured like an earlier rule. The remaining rule keeps the first position. If an agent
 * orders a less trusted file first, the most trusted copy remains, because a less trusted file must not choose the
 * timeout.
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
