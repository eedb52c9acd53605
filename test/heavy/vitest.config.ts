import { defineConfig } from "vitest/config";

/** Every heavy module in every way on every Node, and real modules from npm: half an hour, and network. */
export default defineConfig({
  test: {
    include: ["test/heavy/**/*.heavy.ts"],
    globalSetup: "test/agents/built.ts",
    maxWorkers: 1,
    // A host rests for ten seconds after each verdict; others run during that time.
    maxConcurrency: 12,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
