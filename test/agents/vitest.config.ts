import { defineConfig } from "vitest/config";

/** Real agents, from npm: separate from the ordinary suite, which needs no network. `npm run test:agents`. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.agent.ts"],
    globalSetup: "test/agents/built.ts",
    // Each starts clients and hooks as processes; in parallel they would wait for each other.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
