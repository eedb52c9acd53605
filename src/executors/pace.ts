import { setImmediate } from "node:timers/promises";

/** How long one task may block the event loop, timers included. */
const TURN_MS = 10;

/** Returns a function to await between steps. It lets the event loop run if it was blocked long enough. */
export function takeTurns(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < TURN_MS) return undefined;
    return setImmediate().then(() => {
      begun = performance.now();
    });
  };
}
