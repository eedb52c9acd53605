import { afterAll, expect, vi } from "vitest";

/**
 * Runs before each file that shares its worker with other files: checks that the file leaves the process as it found
 * it, because later files would inherit any change.
 */

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
