import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";

/**
 * Repeats an attempt, each time with another seed, until the time is over. `HOOKBOX_FUZZ_MS` sets the time,
 * `HOOKBOX_SEED` the first seed: with the seed that a failure names, the first attempt is the one that failed.
 */

const DEFAULT_MS = 2_000;
/** The minimum on any machine, otherwise a run would prove nothing. */
const LEAST_ATTEMPTS = 60;

export const FUZZ_MS = Number(process.env["HOOKBOX_FUZZ_MS"] ?? DEFAULT_MS);

export async function fuzz(attempt: (random: Random) => Promise<void> | void): Promise<number> {
  console.info(`HOOKBOX_SEED=${SEED}`);
  const end = performance.now() + FUZZ_MS;
  let attempts = 0;
  while (attempts < LEAST_ATTEMPTS || performance.now() < end) {
    const seed = SEED + attempts;
    try {
      await attempt(new Random(seed));
    } catch (error) {
      throw new Error(`HOOKBOX_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    attempts += 1;
  }
  return attempts;
}
