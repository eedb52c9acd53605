import type { HookEvent } from "../../event.ts";
import type { Reply } from "../../outcome.ts";
import type { Judgement } from "./answer-tool.ts";

/** Until the table of judges' answers and the templates are there. */

export function fillArguments(prompt: string, payload: string): string {
  return prompt.includes("$ARGUMENTS") ? prompt.replaceAll("$ARGUMENTS", () => payload) : `${prompt}\n\n${payload}`;
}

export function judged({ ok, reason }: Judgement, _event: HookEvent): { readonly ok: true; readonly reply: Reply } {
  return { ok: true, reply: ok ? {} : { decision: "deny", reason } };
}
