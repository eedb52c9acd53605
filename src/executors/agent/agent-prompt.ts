import type { HookEvent } from "../../event.ts";
import type { Failure } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { fillArguments } from "../../templates/arguments.ts";
import { shownEvent, unseenPart } from "../shown-event.ts";

/** Builds the prompt of an agent. Removes secrets from the event, but not from the author's own text. */
export async function agentPrompt(
  rule: Rule,
  { prompt, redacts }: { readonly prompt: string; readonly redacts: boolean },
  event: HookEvent,
  stop: StopSignal,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly failure: Failure }> {
  const shown = await shownEvent(rule, event, redacts, stop);
  if (!shown.ok) return shown;
  const unseen = redacts ? unseenPart(shown.text) : undefined;
  return unseen === undefined ? { ok: true, text: fillArguments(prompt, shown.text) } : { ok: false, failure: unseen };
}
