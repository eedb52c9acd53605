import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

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
 * Tests that race deadlines and threads against each other, or keep every core busy on purpose: with nothing beside them,
 * so that what the machine does otherwise decides nothing. A deadline that nobody is meant to reach is no race.
 */
const ALONE = [
  "test/attacks/{attacks,endless}.test.ts",
  "test/chaos/{killed-processes,killed-threads,no-double-effects,unmetered-guests}.test.ts",
  "test/determinism/determinism.test.ts",
  "test/executors/command/{command-executor*,detachment}.test.ts",
  "test/processes/process-group.test.ts",
  "test/executors/wasm/{fixture-check,pool.hung-threads,process-pool,quarantine}.test.ts",
  "test/executors/wasm/wasm-executor.{canary,isolation,pool,state,state-store}.test.ts",
  "test/integration/engine.test.ts",
];

/** Looks at all that there is in its process. */
const ALONE_APART = ["test/chaos/nothing-left-behind.test.ts"];

/**
 * A worker starts longer than most files run, so files share one; `test/as-found.ts` sees to it that each leaves the
 * process as it found it. These get one of their own: they put another module in the place of one, load ours anew,
 * leave variables set, have a helper that tidies up behind each test of its first file, or start thousands of processes:
 * the larger a process has become, the longer it takes to start another.
 */
const APART = [
  "test/attacks/first-try.test.ts",
  "test/authoring/{c,rust}-compile.test.ts",
  "test/cli/review.test.ts",
  "test/events/lookup.test.ts",
  ...["test/cli/snapshots.test.ts", "test/conformance/conformance.test.ts"],
  "test/executors/builtin/{builtin-executor,git,smart-commit,snapshot/*}.test.ts",
  "test/executors/mcp/**/*.test.ts",
  "test/executors/wasm/{first-try,module-store,shared-engine,wasm-executor.retried}.test.ts",
  "test/faults/**/*.test.ts",
  "test/guest-sdk/{capabilities,capability-functions,languages,c/*}.test.ts",
  "test/hosts/agentao/example.test.ts",
  "test/hosts/openclaw/docs.test.ts",
  "test/models/models.test.ts",
  // Measures the memory of its process.
  "test/processes/capped-output.test.ts",
];

/** First, so that no core is idle while the other runs the last one. */
const LONGEST = [
  "conformance/conformance",
  "faults/cancelled-in-every-phase",
  "e2e/run",
  "e2e/write-a-guard",
  "e2e/guard-tests",
  "guest-sdk/capabilities",
  "e2e/build",
  "e2e/thinking",
  "e2e/every-dialect",
  "authoring/typescript/capabilities",
  "e2e/refusals",
  "e2e/shipped-guards",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(`/${file}.test.ts`));
    const sorted = await super.sort(files);
    // A worker is only shared by neighbours of one project.
    return [...new Set(sorted.map((file) => file.project))].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

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
    expect: { poll: { timeout: 20_000 } },
  },
};

const project = (name: string, { exclude = [], ...test }: NonNullable<TestProjectInlineConfiguration["test"]>) => ({
  ...shared,
  test: { ...shared.test, ...test, name, exclude: [...configDefaults.exclude, ...exclude] },
});
const SHARING = { isolate: false, setupFiles: ["test/as-found.ts"] };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project("apart", { include: APART, maxWorkers }),
      project("together", {
        ...SHARING,
        include: ["test/**/*.test.ts"],
        exclude: [...ALONE, ...ALONE_APART, ...APART],
        maxWorkers,
      }),
      project("alone", {
        ...SHARING,
        include: ALONE,
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
      }),
      project("alone and apart", { include: ALONE_APART, maxWorkers: 1, sequence: { groupOrder: 2 } }),
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
