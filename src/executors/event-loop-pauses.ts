import { setImmediate } from "node:timers/promises";

/** How long one task may block the event loop and its timers, in milliseconds. */
const MAX_BLOCK_MS = 10;

/** Returns a function to await between steps. The function lets a blocked event loop run. */
export function eventLoopPauses(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < MAX_BLOCK_MS) return undefined;
    return setImmediate().then(() => {
      begun = performance.now();
    });
  };
}
