import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";

/**
 * Processes that only count in one scope, killed and stopped (SIGSTOP) while they hold the lock, write values or wait:
 * a number that was printed was counted exactly once, whatever happened to its process.
 */

const PROGRAM = resolve(import.meta.dirname, "counting-process.mjs");
const PROCESSES = 4;
const KILLS = 24;
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "hookbox-killed-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "guards");
};

/** Resolves to its output, once it has ended. `onCount` is called for each number. */
async function count(place: string, times: number, onCount: (kill: (signal: NodeJS.Signals) => void) => void) {
  const child = spawn(process.execPath, [PROGRAM, place, String(times)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    onCount((signal) => child.kill(signal));
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  // The last line may be incomplete.
  return { counts: text.split("\n").slice(0, -1).map(Number), code, isKilled: signal !== null };
}

test("a process that is killed at any time while it holds the lock loses and doubles no count of another", async () => {
  const place = folder();
  const random = new Random(SEED);
  const counts: number[] = [];
  let kills = 0;
  const work = async (): Promise<void> => {
    while (kills < KILLS) {
      let isDoomed = false;
      const ended = await count(place, 1_000, (kill) => {
        if (isDoomed || kills >= KILLS || !random.chance(3)) {
          if (kills >= KILLS) kill("SIGKILL");
          return;
        }
        isDoomed = true;
        kills += 1;
        // Sometimes it is stopped for a while before.
        if (random.chance(4)) {
          kill("SIGSTOP");
          setTimeout(() => kill("SIGKILL"), 300);
        } else setTimeout(() => kill("SIGKILL"), random.below(15));
      });
      expect(ended.isKilled || ended.code === 0).toBe(true);
      counts.push(...ended.counts);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  const { counts: [last = 0] = [] } = await count(place, 1, () => {});
  expect(new Set(counts).size).toBe(counts.length);
  expect(Math.max(...counts)).toBeLessThan(last);
  // Each process that was killed may have saved one count that it could not print.
  const ends = KILLS + PROCESSES;
  expect(last).toBeGreaterThanOrEqual(counts.length + 1);
  expect(last).toBeLessThanOrEqual(counts.length + 1 + ends);
  expect(readdirSync(join(place, "user", "s", "r"))).toHaveLength(2);
});
