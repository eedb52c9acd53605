import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Engine, JsonObject, Verdict } from "../../src/index.ts";
import { makeEvents } from "./events.ts";

/** Runs the fixed events through an engine, and returns the results in a form that can be compared. */

const SEED = 20_260_101;
const EVENTS = 1_000;
const CHUNK = 100;

export const EVENT = "PreToolUse";
export const events: readonly JsonObject[] = makeEvents(SEED, EVENTS);

/**
 * Returns a verdict as text, without what may differ: times, and the digests of modules, so that a build that changes a
 * guard's bytes but no answers changes nothing here.
 */
export function canonical(verdict: Verdict): string {
  return JSON.stringify(verdict, (key, value) => (key === "micros" || key === "module" ? undefined : value));
}

/** All verdicts, in the order of `events` whatever the order of the calls. */
export async function replay(
  engine: Pick<Engine, "dispatch">,
  order: readonly number[],
  inFlight: number,
): Promise<readonly string[]> {
  const verdicts: string[] = [];
  const left = order.values();
  const take = async (): Promise<void> => {
    for (const index of left) {
      verdicts[index] = canonical(await engine.dispatch(EVENT, events[index] as JsonObject));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, take));
  return verdicts;
}

export const chunkOf = (index: number): number => Math.floor(index / CHUNK);

export function digestsOf(verdicts: readonly string[]): readonly string[] {
  return Array.from({ length: Math.ceil(verdicts.length / CHUNK) }, (_, chunk) => {
    const hash = createHash("sha256");
    for (const verdict of verdicts.slice(chunk * CHUNK, (chunk + 1) * CHUNK)) hash.update(`${verdict}\n`);
    return hash.digest("hex");
  });
}

const GOLDEN = new URL("golden.json", import.meta.url);

interface Golden {
  readonly costModel: number;
  /** sha256 of each hundred verdicts. */
  readonly digests: readonly string[];
}

export function readGolden(): Golden {
  return JSON.parse(readFileSync(GOLDEN, "utf8")) as Golden;
}

export function writeGolden(golden: Golden): void {
  writeFileSync(GOLDEN, `${JSON.stringify(golden, null, 2)}\n`);
}
