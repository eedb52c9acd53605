import type { Rule } from "../rule.ts";

/** The rules without those that are configured like one before them, each kept where it first stands. */
export function withoutDuplicates(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  const kept = rules.filter((rule) => {
    if (rule.identity === undefined) return true;
    // What a rule may say depends on the layer that it comes from, and an audit is no enforcement.
    if (seen.has(rule.identity)) return false;
    seen.add(rule.identity);
    return true;
  });
  return kept.length === rules.length ? rules : kept;
}
