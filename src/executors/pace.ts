import { setImmediate } from "node:timers/promises";

/** How long we may keep others from running. A deadline waits for its turn like everybody. */
const TURN_MS = 10;

/** To be awaited between steps: lets others run if they have waited long enough. */
export function takeTurns(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < TURN_MS) return undefined;
    return setImmediate().then(() => {
      begun = performance.now();
    });
  };
}
