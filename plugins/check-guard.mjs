import { limitsPassedUnder } from "../dist/executors/wasm/fixtures/passed-at-build.js";

/**
 * Checks a guard at build time, and throws if a check fails. `folder` is the guard's source, `module` its built file.
 * Returns the limits under which the guard's fixtures pass: a run with these limits or higher limits need not run them.
 */
export function checkGuard({ module }) {
  return limitsPassedUnder(module);
}
