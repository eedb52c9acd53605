import { isDeepStrictEqual } from "node:util";
import type { RuleOutcome } from "../aggregate/rule-outcome.ts";
import type { HookEvent } from "../event.ts";
import { redactingJsonSteps } from "../secrets/redact-json.ts";
import type { StateFolder } from "../state/private-json.ts";
import { type RefusedCall, recordRefused } from "../state/refused-calls.ts";
import { cleanLine } from "../text.ts";
import { exceptionNaming, isRefusal } from "./exceptions.ts";

const MAX_CALL_LENGTH = 4_000;
const MAX_REASON_LENGTH = 300;

/** Records which rules have refused a call, for `hookbox except`. A call with a secret is not recorded. */
export function keepRefusals(event: HookEvent, outcomes: readonly RuleOutcome[], stateFolder: StateFolder): void {
  const at = new Date().toISOString();
  const calls = outcomes.flatMap(({ rule, outcome, look }): readonly RefusedCall[] => {
    if (look !== "first" || rule.mode !== "enforce" || outcome.status !== "decided" || !isRefusal(outcome.reply))
      return [];
    const exception = exceptionNaming(rule, event);
    if (exception === undefined || JSON.stringify(exception).length > MAX_CALL_LENGTH) return [];
    return [{ at, reason: cleanLine(outcome.reply.reason ?? "", MAX_REASON_LENGTH), exception }];
  });
  const [first] = calls;
  if (first === undefined || hasSecret(event.payload["tool_input"] ?? null)) return;
  recordRefused(calls, stateFolder);
}

function hasSecret(value: Parameters<typeof redactingJsonSteps>[0]): boolean {
  const steps = redactingJsonSteps(value);
  for (;;) {
    const { done, value: clean } = steps.next();
    if (done) return !isDeepStrictEqual(clean, value);
  }
}
