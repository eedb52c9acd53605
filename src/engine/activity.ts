import type { JsonObject } from "../json.ts";
import type { Failure, Receipt, Reply, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import type { Verdict } from "../verdict.ts";

/**
 * Progress of an engine, reported immediately. Used by progress displays, traces and the events that an agent sends to
 * its own listeners.
 */
export type Activity =
  /** The start of an event, also if no rule matches. */
  | {
      readonly type: "dispatch_started";
      readonly event: string;
      readonly payload: JsonObject;
      /** The number of rules that match the event. */
      readonly matchedRules: number;
    }
  | { readonly type: "hook_started"; readonly event: string; readonly rule: Rule }
  | {
      readonly type: "hook_finished";
      readonly event: string;
      readonly rule: Rule;
      /** The hook's reply before `may` limits the reply. `null` if the hook failed. */
      readonly reply: Reply | null;
      readonly failure: Failure | null;
      readonly receipt: Receipt;
      /** The text that a command printed or a server answered. `null` if there is no such text. */
      readonly output: string | null;
    }
  | {
      readonly type: "dispatch_finished";
      readonly event: string;
      readonly payload: JsonObject;
      readonly matchedRules: number;
      readonly verdict: Verdict;
    };

export type ActivityListener = (activity: Activity) => void;

/** Calls the listener and ignores what it throws. */
export function notify(listener: ActivityListener | undefined, activity: Activity): void {
  if (listener === undefined) return;
  try {
    listener(activity);
  } catch {
    // A failing listener must not keep a gate from answering.
  }
}

export async function notifyAround(
  listener: ActivityListener | undefined,
  rule: Rule,
  event: string,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  if (listener === undefined) return run();
  notify(listener, { type: "hook_started", event, rule });
  const result = await run();
  notify(listener, {
    type: "hook_finished",
    event,
    rule,
    reply: result.ok ? result.reply : null,
    failure: result.ok ? null : result.failure,
    receipt: result.receipt,
    output: result.output ?? null,
  });
  return result;
}
