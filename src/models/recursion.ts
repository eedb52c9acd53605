import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Whether we are inside a hook that thinks. A model that is asked by way of an agent has that agent's hooks fire, and
 * those may ask it again, without end: from there nothing thinks any more. Across processes, the variable tells.
 */

export const WITHIN_VARIABLE = "HOOKBOX_WITHIN";

const within = new AsyncLocalStorage<true>();

export function isWithin(environment: NodeJS.ProcessEnv = process.env): boolean {
  return within.getStore() === true || (environment[WITHIN_VARIABLE] ?? "") !== "";
}

export function runWithin<Value>(run: () => Value): Value {
  return within.run(true, run);
}
