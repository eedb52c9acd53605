import type { HookOutcome } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** One rule's outcome. `look` is `first` for the original event and `second` for the rewritten event. */
export interface RuleOutcome {
  readonly rule: Rule;
  readonly outcome: HookOutcome;
  readonly look: "first" | "second";
}
