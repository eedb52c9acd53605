import { dirname, resolve } from "node:path";
import { isLockable } from "../../config/attach-lock.ts";
import type { ConfigFile } from "../../config/load.ts";
import { loadConfig } from "../../config/load.ts";
import { type LockEntry, lockKey } from "../../config/lockfile.ts";
import { formatProblem, HookError, type Problem } from "../../errors.ts";
import { type FixtureResult, runFixtures } from "../../executors/wasm/fixtures/fixtures.ts";
import { WasmExecutor } from "../../executors/wasm/wasm-executor.ts";
import type { JsonObject } from "../../json.ts";
import { ANSWERS, type Rule } from "../../rule.ts";
import { abi, type admission, grants, loadAdmission, readModule } from "../../sandbox/index.ts";

/** Inspects and tests the modules that a configuration names, without regard to an existing lock file. */

export interface ReviewedModule {
  /** The name in the lock file. */
  readonly module: string;
  readonly rules: readonly Rule[];
  /** The entry for the lock file. `undefined`: the module must not be locked. */
  readonly entry: LockEntry | undefined;
  /** The module's present state, even if the module must not be locked. `undefined`: the module could not be read. */
  readonly seen: LockEntry | undefined;
  readonly inspection: admission.Inspection | undefined;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly fixtures: readonly FixtureResult[];
}

/** Returns the reviewed modules, grouped by the folder of their lock file. Throws if the configuration has errors. */
export async function reviewModules(
  files: readonly ConfigFile[],
  cwd: string,
): Promise<ReadonlyMap<string, readonly ReviewedModule[]>> {
  const { rules, problems } = await loadConfig(files, [], cwd, { locks: "ignore" });
  refuseErrors(problems);
  // Includes folders whose files no longer name a module, because their lock file may still have entries.
  const folders = new Map(files.map(({ file }) => [dirname(resolve(cwd, file)), new Map<string, Rule[]>()]));
  for (const rule of rules) {
    if (rule.handler.type !== "wasm" || !isLockable(rule)) continue;
    const modules = folders.get(rule.baseDir) ?? new Map<string, Rule[]>();
    folders.set(rule.baseDir, modules);
    const key = lockKey(rule.handler.module);
    modules.set(key, [...(modules.get(key) ?? []), rule]);
  }
  const executor = new WasmExecutor({ threads: 1, fixtures: "skip" });
  try {
    const reviewed = new Map<string, readonly ReviewedModule[]>();
    for (const [folder, modules] of folders) {
      const all: ReviewedModule[] = [];
      for (const [module, users] of modules) all.push(await review(module, users, executor));
      reviewed.set(folder, all);
    }
    return reviewed;
  } finally {
    await executor.close();
  }
}

function refuseErrors(problems: readonly Problem[]): void {
  const errors = problems.filter((problem) => problem.severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  throw new HookError(
    first.code,
    `the configuration has errors:\n${errors.map((one) => `  ${formatProblem(one)}`).join("\n")}`,
    {
      hint: "correct them first: a configuration with errors cannot be reviewed",
    },
  );
}

async function review(module: string, rules: readonly Rule[], executor: WasmExecutor): Promise<ReviewedModule> {
  const [rule] = rules;
  if (rule?.handler.type !== "wasm") throw new TypeError("a module that no rule uses");
  const found = { module, rules, entry: undefined, seen: undefined, fixtures: [] };
  const file = await readModule(rule.handler.module, rule.baseDir);
  if ("refused" in file) {
    return { ...found, inspection: undefined, problems: [file.refused] };
  }
  // The module must load under the limits and grants of every rule.
  const { inspectModule } = await loadAdmission();
  const inspections = await Promise.all(rules.map(({ handler }) => inspectModule(file.bytes, requirementsOf(handler))));
  const [inspection] = inspections;
  if (inspection === undefined) throw new TypeError("a module that no rule uses");
  const problems = inspections.flatMap((one) => one.problems);
  const seen = entryOf(inspection, rules);
  if (problems.length > 0) return { ...found, seen, inspection, problems };
  // The digest is pinned, so that the tests run on the inspected bytes even if the file changes now.
  const looked: Rule = { ...rule, handler: { ...rule.handler, sha256: inspection.digest } };
  const fixtures = await runFixtures(executor, looked, inspection.manifest?.fixtures ?? []);
  const failed = fixtures.filter(({ passed }) => !passed).length;
  return failed > 0
    ? {
        ...found,
        seen,
        inspection,
        fixtures,
        problems: [{ code: "HOOK_MODULE_FIXTURE", message: `fails ${failed} of its own ${fixtures.length} fixtures` }],
      }
    : { ...found, seen, inspection, fixtures, problems: [], entry: seen };
}

function requirementsOf(handler: Rule["handler"]): Parameters<typeof admission.inspectModule>[1] {
  if (handler.type !== "wasm") throw new TypeError("not a wasm rule");
  const { sha256, function: name, limits, grants } = handler;
  return { sha256, function: name, memoryBytes: limits.memoryBytes, grants };
}

function entryOf(
  { digest, bytes, imports, capabilities, memory, manifest }: admission.Inspection,
  rules: readonly Rule[],
): LockEntry {
  const { fixtures, ...claims } = manifest ?? {};
  const granted = rules.flatMap(({ handler }) => (handler.type === "wasm" ? grants.lines(handler.grants) : []));
  return {
    sha256: digest,
    bytes,
    capabilities,
    // Duplicates are removed, because a module may import the same function several times.
    imports: [...new Set(imports.map(abi.importName))],
    memory,
    manifest: manifest === null ? null : (claims as JsonObject),
    fixtures: fixtures?.length ?? 0,
    // An empty list is omitted, so that entries of guards without grants do not change.
    ...(granted.length === 0 ? {} : { grants: [...new Set(granted)] }),
    may: ANSWERS.filter((answer) => rules.some((rule) => rule.may.includes(answer))),
    limits: mostOf(rules),
  };
}

/** Returns the highest value of each limit among the rules. */
function mostOf(rules: readonly Rule[]): Readonly<Record<string, number>> {
  const most: Record<string, number> = {};
  for (const { handler, timeoutMs } of rules) {
    if (handler.type !== "wasm") continue;
    for (const [name, value] of Object.entries({ timeoutMs, ...handler.limits })) {
      most[name] = Math.max(most[name] ?? 0, value);
    }
  }
  return most;
}
