import type { HookOutcome } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** One rule's outcome, and whether it judged the event as it came or the one that rewrites made. */
export interface Judgement {
  readonly rule: Rule;
  readonly outcome: HookOutcome;
  readonly look: "first" | "second";
}
