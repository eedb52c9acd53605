import { describeThrown } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { Failure } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/**
 * Returns the event as JSON text in the rule's dialect. The run fails for a value of an embedder that JSON cannot
 * express, such as a `bigint` or a cycle.
 */
export function eventText(
  rule: Rule,
  event: HookEvent,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly failure: Failure } {
  try {
    return { ok: true, text: rule.codec.encodePayload(event) };
  } catch (error) {
    const message = `the event cannot be written as JSON: ${describeThrown(error)}`;
    return { ok: false, failure: { kind: "capability", message } };
  }
}
