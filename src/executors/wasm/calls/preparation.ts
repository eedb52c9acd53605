import type { Problem } from "../../../errors.ts";
import type { HookEvent } from "../../../event.ts";
import type { AdmittedModule } from "../../../sandbox/admission/admission.ts";
import { problemsOfGrants } from "../../../sandbox/admission/idle-grants.ts";
import { suggestionsFor } from "../../../sandbox/admission/limit-suggestions.ts";
import { problemsOfEvent } from "../../../sandbox/admission/undeclared-event.ts";
import type { WasmRule } from "../../../sandbox/modules/module-store.ts";
import { eventOf } from "../fixtures/fixtures.ts";
import { fixturesOf } from "../fixtures/fixtures-of.ts";
import { type AskGuard, problemsOfConfig } from "./config-trial.ts";

/** Prepares a rule before the first event. Loaded lazily, because a process that serves one event does not need it. */

/** Returns warnings about a rule whose guard has been admitted. `ask: undefined`: the guard is not run for that. */
export async function problemsOfLoaded(
  guard: WasmRule,
  admitted: AdmittedModule,
  ask: AskGuard | undefined,
): Promise<readonly Problem[]> {
  return [
    ...suggestionsFor(guard, admitted.claims?.limits),
    ...problemsOfEvent(guard, admitted.claims),
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
