/** The maximum time of the warm-up, because V8's compilation uses the processor for a while. */
const WARM_UP_MS = 250;
const STEADY_ROUNDS = 5;

/**
 * Makes calls until their times are steady, or for a quarter of a second. V8 compiles a function at its first call, and
 * optimises it after more calls.
 */
export async function warmUp(round: () => Promise<unknown>, isClosed: () => boolean): Promise<void> {
  const begun = performance.now();
  const rounds: number[] = [];
  while (!isClosed() && !isSteady(rounds) && (rounds.length === 0 || performance.now() - begun < WARM_UP_MS)) {
    const before = performance.now();
    await round();
    rounds.push(performance.now() - before);
  }
}

/** Whether each of the last rounds took less than twice the fastest round. */
function isSteady(roundsMs: readonly number[]): boolean {
  const least = Math.min(...roundsMs);
  return roundsMs.length > STEADY_ROUNDS && roundsMs.slice(-STEADY_ROUNDS).every((ms) => ms < 2 * least);
}
