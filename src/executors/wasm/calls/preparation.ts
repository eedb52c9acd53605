import type { Problem } from "../../../errors.ts";
import type { HookEvent } from "../../../event.ts";
import type { AdmittedModule } from "../../../sandbox/index.ts";
import { eventOf } from "../fixtures/fixtures.ts";
import { fixturesOf } from "../fixtures/fixtures-of.ts";
import type { WasmRule } from "../wasm-rule.ts";
import { type AskGuard, problemsOfConfig } from "./config-trial.ts";
import { problemsOfEvent, problemsOfGrants, problemsOfLimits } from "./rule-warnings.ts";

/** Prepares a rule before the first event. Loaded lazily, because a process for one event needs no preparation. */

/** Returns warnings about a rule with an admitted guard. With `ask: undefined`, the guard does not run for them. */
export async function problemsOfLoaded(
  guard: WasmRule,
  admitted: AdmittedModule,
  ask: AskGuard | undefined,
): Promise<readonly Problem[]> {
  return [
    ...problemsOfLimits(guard, admitted),
    ...problemsOfEvent(guard, admitted),
    ...problemsOfGrants(guard, admitted),
    ...(ask === undefined ? [] : await problemsOfConfig(guard, admitted, ask)),
  ];
}

/** Returns the event of the guard's first fixture, which the guard should be able to answer. */
export function eventForWarmUp(admitted: AdmittedModule): HookEvent | undefined {
  const [fixture] = admitted.claims?.fixtures === 0 ? [] : fixturesOf(admitted);
  const event = fixture === undefined ? undefined : eventOf(fixture);
  return event === undefined || "kind" in event ? undefined : event;
}
