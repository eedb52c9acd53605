/** V8 goes on compiling for a while, and takes the processor for that. */
const WARM_UP_MS = 250;
const STEADY_ROUNDS = 5;

/**
 * Makes calls until they take no longer than they have to, or for a quarter of a second: V8 compiles a function when it is
 * first called, and better when it has been called for a while.
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

/** The last rounds took no longer than a round has to. */
function isSteady(roundsMs: readonly number[]): boolean {
  const least = Math.min(...roundsMs);
  return roundsMs.length > STEADY_ROUNDS && roundsMs.slice(-STEADY_ROUNDS).every((ms) => ms < 2 * least);
}
