import type { Engine } from "../engine.ts";
import type { Problem } from "../errors.ts";
import { ailmentOf } from "./ailing.ts";

/** A process for each event begins each time with nothing, and a guard that counts never gets beyond one. */
export function forgottenState({ rules, problems }: Pick<Engine, "rules" | "problems">): Problem[] {
  return rules.flatMap((rule): Problem[] => {
    const { handler, name, place } = rule;
    // First things first: what cannot run keeps nothing anyway.
    if (handler.type !== "wasm" || handler.grants?.state === undefined || ailmentOf(rule, problems) !== undefined)
      return [];
    return [
      {
        severity: "warning",
        code: "HOOK_STATE_FORGOTTEN",
        message: `rule "${name}": grants state, of which "hookbox run" keeps nothing from one event to the next`,
        hint: 'one process keeps it for all of its events: "hookbox run --lines", or an engine in a program',
        ...(place === undefined ? {} : { place }),
      },
    ];
  });
}
