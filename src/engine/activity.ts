import type { JsonObject } from "../event.ts";
import type { Failure, Receipt, Reply, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import type { Verdict } from "../verdict.ts";

/** What goes on in an engine, as it happens: for progress, traces and the events that an agent sends its own listeners. */
export type Activity =
  /** Comes for every event, whether or not a rule is for it. */
  | {
      readonly type: "dispatch_started";
      readonly event: string;
      readonly payload: JsonObject;
      /** Rules that the event concerns. */
      readonly matchedRules: number;
    }
  | { readonly type: "hook_started"; readonly event: string; readonly rule: Rule }
  | {
      readonly type: "hook_finished";
      readonly event: string;
      readonly rule: Rule;
      /** What the hook said, before it is held to what its rule may say. `null`: it failed. */
      readonly reply: Reply | null;
      readonly failure: Failure | null;
      readonly receipt: Receipt;
      /** What a command printed, or a server answered; `null` where there is no such text. */
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

/** Tells a listener, whose own failure is nobody else's. */
export function tell(listener: ActivityListener | undefined, activity: Activity): void {
  if (listener === undefined) return;
  try {
    listener(activity);
  } catch {
    // Whoever only listens cannot keep a gate from answering.
  }
}

export async function told(
  listener: ActivityListener | undefined,
  rule: Rule,
  event: string,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  if (listener === undefined) return run();
  tell(listener, { type: "hook_started", event, rule });
  const result = await run();
  tell(listener, {
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
