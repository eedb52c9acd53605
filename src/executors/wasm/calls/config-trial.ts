import type { Problem } from "../../../errors.ts";
import { runBounded } from "../../bounded-run.ts";
import type { Executor } from "../../executor.ts";
import type { AdmittedModule } from "../admission/admission.ts";
import { fixturesOf } from "../fixtures/fixture-check.ts";
import { eventOf } from "../fixtures/fixtures.ts";
import type { WasmRule } from "../modules/module-store.ts";

/** Fixtures whose events a rule's config is tried with. */
const MOST_ASKED = 20;

/**
 * Whether a guard takes its rule's `config`: it is asked about the events of its own fixtures, and none of them is one
 * that it fails at. What its schema says of values is for the guard to know.
 */
export async function problemsOfConfig(
  guard: WasmRule,
  admitted: AdmittedModule,
  ask: Executor["run"],
): Promise<readonly Problem[]> {
  if (Object.keys(guard.handler.config).length === 0) return [];
  const executor: Executor = { type: "wasm", run: ask, close: () => Promise.resolve() };
  for (const fixture of fixturesOf(admitted).slice(0, MOST_ASKED)) {
    const event = eventOf(fixture);
    if ("kind" in event) continue;
    const result = await runBounded(executor, guard, event, performance.now(), undefined);
    if (result.ok || result.failure.kind !== "exit") continue;
    const message = `rule "${guard.name}": with this config, module ${guard.handler.module} fails: ${result.failure.message}`;
    return [{ severity: "warning", code: "HOOK_MODULE_CONFIG", message }];
  }
  return [];
}
