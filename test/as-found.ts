import { afterAll, expect, vi } from "vitest";

/** Before each file that shares its worker with others: what it changes in the process and leaves so, they would meet. */

const state = () => ({
  folder: process.cwd(),
  umask: process.umask(),
  environment: { ...process.env },
  clock: vi.isFakeTimers() ? "false" : "real",
});

const found = state();
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  expect(state(), "what this file has left behind in its process").toEqual(found);
});
