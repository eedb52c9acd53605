import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** Starts more busy threads than a small machine has cores, until the test ends or their time is over. */
export function keepCoresBusy(threads: number, atMostMs: number): void {
  const spin = `const end = performance.now() + ${atMostMs}; for (let x = 0; performance.now() < end; ) x += Math.sqrt(x);`;
  const others = Array.from({ length: threads }, () => new Worker(spin, { eval: true }));
  onTestFinished(async () => void (await Promise.all(others.map((thread) => thread.terminate()))));
}
