import type { HookEvent } from "../event.ts";
import { type JsonObject, parseJsonObject } from "../json.ts";
import type { Failure } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { UNSEEN } from "../secrets/redact.ts";
import { LEFT_OUT, redactingJsonSteps } from "../secrets/redact-json.ts";
import type { StopSignal } from "../stop-signal.ts";
import { eventLoopPauses } from "./event-loop-pauses.ts";
import { eventText } from "./event-text.ts";

type ShownEvent =
  | { readonly ok: true; readonly data: JsonObject; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

/** Returns the event without secrets, for a model. Yields to other work, because the search may take seconds. */
export async function shownEvent(
  rule: Rule,
  event: HookEvent,
  redacts: boolean,
  stop: StopSignal,
): Promise<ShownEvent> {
  const encoded = eventText(rule, event);
  if (!encoded.ok) return encoded;
  const data = parseJsonObject(encoded.text);
  if (data === undefined) return { ok: false, failure: { kind: "capability", message: "the event is no JSON object" } };
  if (!redacts) return { ok: true, data, text: encoded.text };
  const pause = eventLoopPauses();
  const steps = redactingJsonSteps(data);
  while (!stop.aborted) {
    const { done, value } = steps.next();
    if (done) return { ok: true, data: value as JsonObject, text: JSON.stringify(value) };
    await pause();
  }
  return { ok: false, failure: stop.reason as Failure };
}

/**
 * Returns why a prompt is not sent. Text that is too long to be searched for secrets is left out. Judging only the rest
 * would let an attacker hide a command behind such text.
 */
export function unseenPart(prompt: string): Failure | undefined {
  if (![UNSEEN, LEFT_OUT].some((mark) => prompt.includes(mark))) return undefined;
  return {
    kind: "capability",
    message: "part of the event could not be looked through for secrets, and would be missing",
  };
}
