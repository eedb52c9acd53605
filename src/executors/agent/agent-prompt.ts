import { type HookEvent, parseJsonObject } from "../../event.ts";
import type { Failure } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { redactJson } from "../../secrets/redact-json.ts";
import { fillArguments } from "../../templates/arguments.ts";
import { eventText } from "../event-text.ts";

/** What an agent is asked. Secrets are taken out of the event: what the prompt's author wrote is sent as it is. */
export function agentPrompt(
  rule: Rule,
  { prompt, redacts }: { readonly prompt: string; readonly redacts: boolean },
  event: HookEvent,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly failure: Failure } {
  const encoded = eventText(rule, event);
  if (!encoded.ok) return encoded;
  if (!redacts) return { ok: true, text: fillArguments(prompt, encoded.text) };
  const parsed = parseJsonObject(encoded.text);
  if (parsed === undefined)
    return { ok: false, failure: { kind: "capability", message: "the event is no JSON object" } };
  return { ok: true, text: fillArguments(prompt, JSON.stringify(redactJson(parsed))) };
}
