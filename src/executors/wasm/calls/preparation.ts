import type { Problem } from "../../../errors.ts";
import type { HookEvent } from "../../../event.ts";
import type { AdmittedModule } from "../admission/admission.ts";
import { problemsOfGrants } from "../admission/idle-grants.ts";
import { suggestionsFor } from "../admission/limit-suggestions.ts";
import { problemsOfEvent } from "../admission/undeclared-event.ts";
import { eventOf } from "../fixtures/fixtures.ts";
import { fixturesOf } from "../fixtures/fixtures-of.ts";
import type { WasmRule } from "../modules/module-store.ts";
import { type AskGuard, problemsOfConfig } from "./config-trial.ts";

/** What is done for a rule before the first event, and nothing that a process for one event needs. */

/** What is wrong with a rule whose guard may run. `ask: undefined`: nothing is to be run for it. */
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

/** An event that the guard knows what to say to: of its first fixture. */
export function eventForWarmUp(admitted: AdmittedModule): HookEvent | undefined {
  const [fixture] = admitted.claims?.fixtures === 0 ? [] : fixturesOf(admitted);
  const event = fixture === undefined ? undefined : eventOf(fixture);
  return event === undefined || "kind" in event ? undefined : event;
}
