import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** More threads that spin than a small machine has cores, until the test is over or their time is up. */
export function keepCoresBusy(threads: number, atMostMs: number): void {
  const spin = `const end = performance.now() + ${atMostMs}; for (let x = 0; performance.now() < end; ) x += Math.sqrt(x);`;
  const others = Array.from({ length: threads }, () => new Worker(spin, { eval: true }));
  onTestFinished(async () => void (await Promise.all(others.map((thread) => thread.terminate()))));
}
