import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

// Tests read src/, so that coverage is of what people edit; but a worker thread is a file of its own, and Node runs
// the one that ships.
const POOL = "/executors/wasm/pool/";
const SHIPPED: Readonly<Record<string, string>> = {
  [`/src${POOL}thread-pool.ts`]: "worker.js",
  [`/src${POOL}process/process-pool.ts`]: "child.js",
};

// Nothing that a test run leaves behind may answer for the code of the next.
const cache = mkdtempSync(join(tmpdir(), "hookbox-test-cache-"));
process.on("exit", () => rmSync(cache, { recursive: true, force: true }));

/**
 * Tests that race deadlines and threads against each other, or keep every core busy on purpose. Each runs with nothing
 * beside it, so that what the machine does otherwise decides nothing.
 */
const ALONE = [
  "test/attacks/**/*.test.ts",
  "test/chaos/**/*.test.ts",
  "test/determinism/determinism.test.ts",
  "test/executors/command/{command-executor*,detachment}.test.ts",
  "test/processes/process-group.test.ts",
  "test/executors/wasm/{first-try,fixture-check,pool*,process-pool*,quarantine,self-test,wasm-executor*}.test.ts",
  "test/integration/**/*.test.ts",
  "test/e2e/ailing.test.ts",
];

/** Tests of functions that keep nothing and mock nothing. Their files share workers, which start longer than most run. */
const PURE = ["test/{aggregate,config,dialects,matcher}/**/*.test.ts"];

/** The same of tests of whole agents, hosts and verbs: they leave a process as they found it. */
const SHARING = ["test/{agent-pages,cli,hosts,plugins,secrets}/**/*.test.ts"];
/** Put another module in the place of one, which the other files of a shared worker would get, too. */
const MOCKING = ["test/cli/review.test.ts", "test/hosts/agentao/example.test.ts"];

/** Most files wait for compilers and command lines: two at a time are worth it on two cores as well. */
const maxWorkers = Math.max(2, availableParallelism() - 1);

const shared: TestProjectInlineConfiguration = {
  plugins: [
    {
      name: "shipped-worker",
      transform(code, id) {
        const source = Object.keys(SHIPPED).find((file) => id.endsWith(file));
        if (source === undefined) return undefined;
        const name = SHIPPED[source] as string;
        const shipped = new URL(`./dist${source.slice(4, source.lastIndexOf("/"))}/${name}`, import.meta.url).href;
        return code.replace(`"./${name}"`, JSON.stringify(shipped));
      },
    },
  ],
  test: {
    env: { XDG_CACHE_HOME: cache },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
};

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...ALONE, ...PURE, ...SHARING],
          maxWorkers,
        },
      },
      { ...shared, test: { ...shared.test, name: "mocking", include: MOCKING, maxWorkers } },
      {
        ...shared,
        test: {
          ...shared.test,
          name: "sharing",
          include: SHARING,
          exclude: [...configDefaults.exclude, ...MOCKING],
          isolate: false,
          maxWorkers,
        },
      },
      { ...shared, test: { ...shared.test, name: "pure", include: PURE, isolate: false, maxWorkers } },
      {
        ...shared,
        test: { ...shared.test, name: "alone", include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    reporters: ["default", ["json", { outputFile: "test-report/vitest.json" }]],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts", "guest-sdk/typescript/**/*.ts"],
      reporter: ["text-summary", "html"],
      reportsDirectory: "coverage",
    },
  },
});
