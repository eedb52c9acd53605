import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Tests read src/, so that coverage is of what people edit; but a worker thread is a file of its own, and Node runs
// the one that ships.
const shippedWorker = new URL("./dist/executors/wasm/worker.js", import.meta.url).href;

// Nothing that a test run leaves behind may answer for the code of the next.
const cache = mkdtempSync(join(tmpdir(), "hookbox-test-cache-"));
process.on("exit", () => rmSync(cache, { recursive: true, force: true }));

export default defineConfig({
  plugins: [
    {
      name: "shipped-worker",
      transform(code, id) {
        return id.endsWith("/src/executors/wasm/pool.ts")
          ? code.replace('"./worker.js"', JSON.stringify(shippedWorker))
          : undefined;
      },
    },
    {
      name: "shipped-guards",
      transform(code, id) {
        const guards = JSON.stringify(new URL("./dist/guards/", import.meta.url).href);
        return id.endsWith("/src/executors/wasm/module-source.ts")
          ? code.replace('"../../guards/"', guards)
          : undefined;
      },
    },
  ],
  test: {
    include: ["test/**/*.test.ts"],
    env: { XDG_CACHE_HOME: cache },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", ["json", { outputFile: "test-report/vitest.json" }]],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts", "guest-sdk/typescript/**/*.ts"],
      reporter: ["text-summary", "html"],
      reportsDirectory: "coverage",
    },
  },
});
