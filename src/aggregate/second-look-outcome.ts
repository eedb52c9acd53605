import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../json.ts";
import type { HookOutcome, Reply } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { patched } from "./patch-input.ts";
import type { Rewrites } from "./rewrites.ts";
import type { RuleOutcome } from "./rule-outcome.ts";

/** Results of the first look that the second look needs. */
export interface SecondLook {
  /** The input after all rewrites. */
  readonly final: JsonObject;
  /** Whether a rule's new input is a patch and not the whole input. */
  patches(rule: Rule): boolean;
  /** Rules whose "allow" holds for the final input, because they judged this input in one of the looks. */
  readonly permits: ReadonlySet<Rule>;
  /** Rules whose repeated rewrite is dropped. A rewrite by any other rule in the second look is a failure. */
  readonly repeats: ReadonlySet<Rule>;
}

export function secondLookAt(
  ruleOutcomes: readonly RuleOutcome[],
  rewrites: Rewrites | undefined,
): SecondLook | undefined {
  const final = rewrites?.changedInput;
  if (rewrites === undefined || final === undefined) return undefined;
  const permits = ruleOutcomes.filter((ruleOutcome) => {
    const { outcome, look } = ruleOutcome;
    if (look === "first") return rewrites.hasJudged(ruleOutcome, final);
    return outcome.status === "decided" && outcome.reply.decision === "allow";
  });
  const repeats = ruleOutcomes.filter((ruleOutcome) => rewrites.mayRepeat(ruleOutcome));
  return {
    final,
    patches: (rule) => rewrites.patches(rule),
    permits: new Set(permits.map(({ rule }) => rule)),
    repeats: new Set(repeats.map(({ rule }) => rule)),
  };
}

/** Reduces an outcome of the second look to a refusal, because the second look only checks the rewritten input. */
export function tighten(
  outcome: HookOutcome,
  rule: Rule,
  look: SecondLook | undefined,
  dropped: string[],
): HookOutcome {
  if (outcome.status !== "decided") return outcome;
  const { reply, receipt } = outcome;
  if (rewritesAgain(reply, rule, look)) {
    const isPage = rule.compat === "faithful" && rule.dialect !== "hookbox";
    if (look?.repeats.has(rule) !== true && !isPage) {
      return {
        status: "failed",
        failure: {
          kind: "invalid-output",
          message: "rewrote an input that was already rewritten; the second look may only refuse",
        },
        receipt,
      };
    }
    dropped.push("updatedInput: the second look may only refuse");
  }
  const { decision, reason, continue: goesOn, stopReason, updatedInput: _, ...others } = reply;
  if (decision === "allow") dropped.push('decision "allow": the second look may only refuse');
  for (const field of Object.keys(others)) dropped.push(`${field}: the second look may only refuse`);
  const kept: Reply = {
    ...(decision === undefined || decision === "allow"
      ? {}
      : { decision, ...(reason === undefined ? {} : { reason }) }),
    ...(goesOn === false ? { continue: false, ...(stopReason === undefined ? {} : { stopReason }) } : {}),
  };
  return Object.keys(kept).length === 0
    ? { status: "abstained", receipt }
    : { status: "decided", reply: kept, receipt };
}

function rewritesAgain({ updatedInput }: Reply, rule: Rule, look: SecondLook | undefined): boolean {
  if (updatedInput === undefined) return false;
  const wanted = look?.patches(rule) === true ? patched(look.final, updatedInput) : updatedInput;
  return !isDeepStrictEqual(wanted, look?.final);
}

/** Drops an "allow" that was given for the original input if the input was rewritten afterwards. */
export function stillPermits(
  outcome: HookOutcome,
  rule: Rule,
  look: SecondLook | undefined,
  dropped: string[],
): HookOutcome {
  if (outcome.status !== "decided" || outcome.reply.decision !== "allow") return outcome;
  if (look === undefined || look.permits.has(rule)) return outcome;
  dropped.push('decision "allow": given for the input before it was rewritten');
  const { decision: _, reason: __, ...reply } = outcome.reply;
  return { ...outcome, reply };
}
