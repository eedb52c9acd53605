import type { Problem } from "../../errors.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { SuggestedLimits } from "./claims.ts";

const MIB = 1_048_576;

/**
 * Returns a warning for each limit that the guard's author suggests higher than the rule sets it. The rule's limits
 * apply.
 */
export function suggestionsFor(rule: WasmRule, suggested: SuggestedLimits = {}): readonly Problem[] {
  const { handler, name, timeoutMs } = rule;
  const { memoryBytes, ...limits } = handler.limits;
  const given: Readonly<Record<string, number>> = { ...limits, memoryMiB: memoryBytes / MIB, timeoutMs };
  return Object.entries(suggested).flatMap(([limit, wanted]): Problem[] => {
    const has = given[limit];
    if (wanted === undefined || has === undefined || wanted <= has) return [];
    return [
      {
        severity: "warning",
        code: "HOOK_MODULE_LIMIT",
        message: `rule "${name}": module ${handler.module} suggests ${limit} ${wanted}, and the rule gives ${has}`,
        hint: `if you agree, add ${lineFor(limit, wanted)} to the rule`,
      },
    ];
  });
}

function lineFor(limit: string, wanted: number): string {
  return limit === "timeoutMs" ? `"timeoutMs": ${wanted}` : `"limits": { "${limit}": ${wanted} }`;
}
