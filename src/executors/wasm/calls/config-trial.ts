import type { Problem } from "../../../errors.ts";
import type { HookEvent } from "../../../event.ts";
import type { RunResult } from "../../../outcome.ts";
import type { AdmittedModule } from "../../../sandbox/index.ts";
import { runBounded } from "../../bounded-run.ts";
import type { Executor, RunOptions } from "../../executor.ts";
import { eventOf, givenOf } from "../fixtures/fixtures.ts";
import { fixturesOf } from "../fixtures/fixtures-of.ts";
import type { WasmRule } from "../wasm-rule.ts";
import type { Given } from "./guard-calls.ts";

/** Maximum number of fixtures with which a rule's config is tried. */
const MOST_ASKED = 20;

export type AskGuard = (event: HookEvent, options: RunOptions & { readonly given: Given }) => Promise<RunResult>;

/**
 * Checks whether a guard accepts its rule's `config`. The guard gets the events of its own fixtures, each in the
 * fixture's world, and must not fail at any of them. Values are checked in this way because hookbox does not evaluate
 * the guard's schema.
 */
export async function problemsOfConfig(
  guard: WasmRule,
  admitted: AdmittedModule,
  ask: AskGuard,
): Promise<readonly Problem[]> {
  if (Object.keys(guard.handler.config).length === 0) return [];
  for (const fixture of fixturesOf(admitted).slice(0, MOST_ASKED)) {
    const event = eventOf(fixture);
    if ("kind" in event) continue;
    const given = givenOf(fixture);
    const executor: Executor = {
      type: "wasm",
      run: (_, asked, options) => ask(asked, { ...options, given }),
      close: () => Promise.resolve(),
    };
    const result = await runBounded(executor, guard, event, undefined);
    if (result.ok || result.failure.kind !== "exit") continue;
    const message = `rule "${guard.name}": with this config, module ${guard.handler.module} fails: ${result.failure.message}`;
    return [{ severity: "warning", code: "HOOK_MODULE_CONFIG", message }];
  }
  return [];
}
