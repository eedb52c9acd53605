import { limitsPassedUnder } from "../dist/executors/wasm/fixtures/passed-at-build.js";
import { faultsOfRules } from "./check-rules.mjs";

/**
 * Checks a guard at build time, and throws if a check fails. `folder` is the guard's source, `module` its built file.
 * Returns the limits under which the guard's fixtures pass: a run with these limits or higher limits need not run them.
 */
export async function checkGuard({ name, module }) {
  const faults = name === "shell-guard" ? await faultsOfRules() : [];
  if (faults.length > 0) throw new Error(`rules of ${name} against their own examples:\n${faults.join("\n")}`);
  return limitsPassedUnder(module);
}
