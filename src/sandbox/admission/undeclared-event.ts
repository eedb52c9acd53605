import type { Problem } from "../../errors.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { ManifestClaims } from "./claims.ts";

/** Returns a warning if the rule's guard does not judge the rule's event. The guard never stops an action there. */
export function problemsOfEvent(rule: WasmRule, claims: ManifestClaims | undefined): readonly Problem[] {
  const { event, name, handler } = rule;
  const events = claims?.events ?? null;
  if (events === null || event === "*" || events.includes(event)) return [];
  const judged = events.length === 0 ? "no event" : `only ${events.join(", ")}`;
  return [
    {
      severity: "warning",
      code: "HOOK_MODULE_EVENT",
      message: `rule "${name}": is configured for ${event}, but module ${handler.module} judges ${judged}: it never stops an action here`,
      hint: "configure the rule for an event that its guard judges, or use another guard",
    },
  ];
}
