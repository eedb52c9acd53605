import type { Rule } from "../rule.ts";

/**
 * The rules without those that are configured like one before them, each kept where it first stands. Files of more
 * trusted layers come first, so it is theirs that stays.
 */
export function withoutDuplicates(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  const kept = rules.filter((rule) => {
    if (rule.identity === undefined) return true;
    if (seen.has(rule.identity)) return false;
    seen.add(rule.identity);
    return true;
  });
  return kept.length === rules.length ? rules : kept;
}
