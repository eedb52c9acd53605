import type { Problem } from "../../errors.ts";
import { capabilitiesOf } from "../grants/grants.ts";
import { ALWAYS_GRANTED, type Capability, capabilityOf } from "../guest/guest-abi.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { AdmittedModule } from "./admission.ts";
import { splitName } from "./known-module.ts";

/**
 * Compares the grants that a rule gives, a module uses and its manifest wants. Each difference is probably a mistake.
 */

type AskingModule = Pick<AdmittedModule, "claims" | "imports" | "startExports">;

/** Returns warnings only, because a module that needs a grant which its rule does not give is refused earlier. */
export function problemsOfGrants(rule: WasmRule, asking: AskingModule): readonly Problem[] {
  const { name, handler } = rule;
  const granted = capabilitiesOf(handler.grants);
  const used = usedBy(asking);
  const wants: ReadonlySet<Capability> = new Set(asking.claims?.wants);
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

/** Capabilities that a module's imports use. Imports of WASI may use several. */
function usedBy({ imports, startExports }: AskingModule): ReadonlySet<Capability> {
  const used = new Set<Capability>(startExports.length > 0 ? ["wasi"] : []);
  for (const entry of imports.map(splitName)) {
    const capability = capabilityOf(entry);
    if (capability !== "unknown") used.add(capability);
    if (capability === "wasi") for (const [one, ways] of THROUGH_WASI) if (ways.test(entry.name)) used.add(one);
  }
  for (const one of ALWAYS_GRANTED) used.delete(one);
  return used;
}

/** WASI functions that give access to what another grant is for. */
export const THROUGH_WASI: readonly (readonly [Capability, RegExp])[] = [
  ["paths", /^path_|^fd_prestat_/],
  ["clock", /^clock_/],
  ["random", /^random_/],
];
