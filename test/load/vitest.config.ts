import { defineConfig } from "vitest/config";

/**
 * Minutes on a machine that is kept busy on purpose: separate from the ordinary suite. `npm run test:load`, after a
 * build.
 */
export default defineConfig({
  test: { include: ["test/load/**/*.load.ts"], maxWorkers: 1, testTimeout: 3_600_000 },
});
