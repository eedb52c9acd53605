import type { Problem } from "../../../errors.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { SuggestedLimits } from "./claims.ts";

const MIB = 1_048_576;

/** Limits of which a guard's author wanted more than the rule gives. The rule's own hold all the same. */
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
