import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";

const FUZZ_MS = Number(process.env["HOOKBOX_FUZZ_MS"] ?? 0);
/** Ends a test that hangs. */
export const FUZZ_TIMEOUT_MS = FUZZ_MS + 240_000;

/**
 * Repeats an attempt `least` times, each time with another seed, so that every run makes the same attempts.
 * `HOOKBOX_FUZZ_MS` continues until this time is over. `HOOKBOX_SEED` sets the first seed: with the seed that a failure
 * names, the first attempt is the attempt that failed. Returns the number of attempts.
 */
export async function fuzz(least: number, attempt: (random: Random) => Promise<void> | void): Promise<number> {
  console.info(`HOOKBOX_SEED=${SEED}`);
  const end = performance.now() + FUZZ_MS;
  let attempts = 0;
  while (attempts < least || performance.now() < end) {
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
