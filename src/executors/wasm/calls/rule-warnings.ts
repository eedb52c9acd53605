import type { Problem } from "../../../errors.ts";
import { type AdmittedModule, abi, grants } from "../../../sandbox/index.ts";
import type { WasmRule } from "../wasm-rule.ts";

/** Warnings about a rule whose guard has been admitted. */

/** Compares the grants that a rule gives, a module uses and its manifest wants. Each difference is probably a mistake. */
export function problemsOfGrants(rule: WasmRule, asking: AdmittedModule): readonly Problem[] {
  // Only warnings, because a module that needs a grant which its rule does not give is refused earlier.
  const { name, handler } = rule;
  const granted = grants.capabilitiesOf(handler.grants);
  const used = abi.capabilitiesUsed(asking.imports, asking.startExports);
  const wants: ReadonlySet<grants.Capability> = new Set(asking.claims?.wants);
  const warn = (message: string, hint: string): Problem => ({
    severity: "warning",
    code: "HOOK_MODULE_GRANT",
    message: `rule "${name}": ${message}`,
    hint,
  });
  const idle = [...granted]
    .filter((one) => !used.has(one))
    .map((one) => {
      const message = `grants "${one}", but module ${handler.module} imports no function that uses it`;
      return wants.has(one)
        ? warn(`${message}, although its manifest wants it`, "report this to the guard's author")
        : warn(message, "remove the grant from the rule, or build the guard so that it uses it");
    });
  const missing = [...wants]
    .filter((one) => !granted.has(one) && !used.has(one))
    .map((one) =>
      warn(
        `the manifest of module ${handler.module} wants "${one}", which the rule does not grant`,
        "the module imports no function that uses it, so it works without the grant; report this to the guard's author",
      ),
    );
  const unsaid = asking.claims?.wants === undefined ? [] : [...used].filter((one) => granted.has(one));
  const hidden = unsaid
    .filter((one) => !wants.has(one))
    .map((one) =>
      warn(
        `module ${handler.module} uses "${one}", which its manifest does not want`,
        "ask the guard's author why it needs it, or remove the grant: the guard does not load without it",
      ),
    );
  return [...idle, ...missing, ...hidden];
}

const MIB = 1_048_576;

/** Compares the limits that the guard's author suggests with the rule's limits, which apply. */
export function problemsOfLimits(rule: WasmRule, { claims }: AdmittedModule): readonly Problem[] {
  const { handler, name, timeoutMs } = rule;
  const { memoryBytes, ...limits } = handler.limits;
  const given: Readonly<Record<string, number>> = { ...limits, memoryMiB: memoryBytes / MIB, timeoutMs };
  return Object.entries(claims?.limits ?? {}).flatMap(([limit, wanted]): Problem[] => {
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

/** Returns a warning if the guard does not judge the rule's event. The guard never stops an action there. */
export function problemsOfEvent({ event, name, handler }: WasmRule, { claims }: AdmittedModule): readonly Problem[] {
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
