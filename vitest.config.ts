import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Tests read src/, so that coverage is of the sources. A worker thread is a file of its own, however, and Node runs the
// bundled one.
const POOL = "/sandbox/pool/";
const SHIPPED: Readonly<Record<string, string>> = {
  [`/src${POOL}thread-pool.ts`]: "worker.js",
  [`/src${POOL}process/process-pool.ts`]: "child.js",
};

// A cache folder for each run, so that no run uses what another version of the code has cached.
const cache = mkdtempSync(join(tmpdir(), "hookbox-test-cache-"));
process.on("exit", () => rmSync(cache, { recursive: true, force: true }));

/**
 * The tests of `npm run test:fast`: in these folders a test starts no process, server or compiler, unless its file is
 * called `NAME.process.test.ts`. test/starts-nothing.ts enforces this.
 */
const FAST = [
  "test/{aggregate,cache,cli,config,dialects,events,files,matcher,plugins,secrets,templates}/**",
  "test/executors/{agent,context,function}",
  "test/guest-sdk/typescript",
].map((folder) => `${folder}/!(*.process).test.ts`);

const REPLACES_MODULES = /\bvi\.(?:mock|doMock|resetModules)\(/;

/** Attacks are compared with ordinary calls by time and keep every processor busy, so they run alone. */
const ALONE = ["test/attacks/**/*.test.ts"];

/**
 * Tests with one process for each file, because they set variables, measure their process, or use a helper that cleans
 * up after each test. Other files share a process, which is cheaper than starting one; test/as-found.ts checks that
 * each file leaves the process as it found it.
 */
const APART = [
  "test/{chaos,conformance,faults}/**/*.test.ts",
  "test/executors/{builtin,mcp}/**/*.test.ts",
  ...readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((file) => join("test", file))
    .filter((file) => file.endsWith(".test.ts") && REPLACES_MODULES.test(readFileSync(file, "utf8"))),
];

/** Tests of processes spend most of their time waiting for these processes. */
const maxWorkers = 2 * availableParallelism();

/** Runs the files of one project one after the other, because only these share a process. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...new Set(sorted.map((file) => file.project))].flatMap((project) =>
      sorted.filter((file) => file.project === project),
    );
  }
}

const shared: TestProjectInlineConfiguration = {
  plugins: [
    {
      name: "shipped-worker",
      transform(code, id) {
        const source = Object.keys(SHIPPED).find((file) => id.endsWith(file));
        if (source === undefined) return undefined;
        const name = SHIPPED[source] as string;
        const shipped = new URL(`./dist/bundle/${name}`, import.meta.url).href;
        return code.replace(`"./${name}"`, JSON.stringify(shipped));
      },
    },
  ],
  test: {
    env: { XDG_CACHE_HOME: cache },
    // Ends a test that hangs. The limit is high because a busy machine may take many times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 240_000,
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
    sequence: { sequencer: ByProject },
    projects: [
      project("processes", {
        ...SHARING,
        include: ["test/**/*.test.ts"],
        exclude: [...FAST, ...ALONE, ...APART],
        maxWorkers,
      }),
      project("apart", { include: APART, exclude: ALONE, maxWorkers }),
      project("fast", {
        ...SHARING,
        setupFiles: [...SHARING.setupFiles, "test/starts-nothing.ts"],
        include: FAST,
        exclude: APART,
        maxWorkers,
      }),
      project("alone", { include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } }),
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
