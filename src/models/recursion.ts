import { AsyncLocalStorage } from "node:async_hooks";
import { callersEnvironment } from "../caller.ts";

/**
 * Detects that this process runs inside of a hook that asks a model. An agent behind the model may have hooks that ask
 * a model again, without end. Therefore model hooks do nothing there. A variable passes this state on to child
 * processes.
 */

export const WITHIN_VARIABLE = "HOOKBOX_WITHIN";

const within = new AsyncLocalStorage<true>();

export function isWithin(environment: NodeJS.ProcessEnv = callersEnvironment()): boolean {
  return within.getStore() === true || (environment[WITHIN_VARIABLE] ?? "") !== "";
}

export function runWithin<Value>(run: () => Value): Value {
  return within.run(true, run);
}
