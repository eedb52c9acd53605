import type { HookEvent } from "../../event.ts";
import type { Reply } from "../../outcome.ts";
import type { Judgement } from "./answer-tool.ts";

/** Until the table of judges' answers is there. */

export function judged({ ok, reason }: Judgement, _event: HookEvent): { readonly ok: true; readonly reply: Reply } {
  return { ok: true, reply: ok ? {} : { decision: "deny", reason } };
}
