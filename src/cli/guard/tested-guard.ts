import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildGuard } from "../../authoring/build.ts";
import { findSource, sourcesIn } from "../../authoring/guard-source.ts";
import { tryBytes, tryModule } from "../../authoring/guard-trial.ts";
import { limitsOf } from "../../authoring/limits.ts";
import { grantsForTrial } from "../../authoring/trial-grants.ts";
import { checkTypes } from "../../authoring/typescript/check-types.ts";
import { HookError, type Problem } from "../../errors.ts";
import { type admission, loadAdmission, readModule } from "../../sandbox/index.ts";
import { problemsOf } from "./problems.ts";
import { type JudgedResult, judge } from "./trial-report.ts";

/** Finds the guards at a path for `hookbox test`, and tests each of them. */

export interface Target {
  readonly kind: "module" | "source";
  readonly path: string;
}

export interface TestedGuard {
  readonly target: Target;
  /** The guard's manifest. `undefined`: the guard could not be built or does not load. */
  readonly manifest: admission.Manifest | undefined;
  readonly results: readonly JudgedResult[];
  readonly problems: readonly Problem[];
  /** The author's source files of the guard, if known. */
  readonly files: readonly string[];
  /** Whether a thread does not end, which would keep the process from ending. */
  readonly stuck: boolean;
}

/** Returns the module or source at a path, or the guards in its subfolders. Throws `HOOK_BUILD_NOT_FOUND`. */
export async function findTargets(path: string): Promise<readonly Target[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true && path.endsWith(".wasm")) return [{ kind: "module", path }];
  if (found?.isDirectory() !== true || (await sourcesIn(path)).length > 0) {
    const { folder, file } = await findSource(path);
    return [{ kind: "source", path: found?.isDirectory() === true ? folder : file }];
  }
  const folders = (await readdir(path, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
    .map(({ name }) => join(path, name))
    .sort();
  const targets: Target[] = [];
  for (const folder of folders) {
    if ((await sourcesIn(folder)).length > 0) targets.push({ kind: "source", path: folder });
  }
  if (targets.length > 0) return targets;
  throw new HookError("HOOK_BUILD_NOT_FOUND", `there is no guard in ${path} or in its subfolders`, {
    hint: "a guard is a folder with guard.ts, guard.js, guard.c or Cargo.toml; hookbox new creates one",
  });
}

export interface TestOptions {
  readonly maxFuel?: number | undefined;
  /** Selects from the guard's tests, or replaces the tests. */
  readonly tests: (fixtures: readonly admission.Fixture[]) => readonly admission.Fixture[];
  readonly checksTypes: boolean;
}

export async function testTarget(
  target: Target,
  options: TestOptions,
  onSlow?: (what: string) => void,
): Promise<TestedGuard> {
  const { maxFuel, tests } = options;
  const nothing = { target, manifest: undefined, results: [], files: [], stuck: false };
  try {
    if (target.kind === "module") return await testModule(target, options);
    const typed = options.checksTypes ? typeErrorsOf(target.path) : [];
    const { wasm, manifest, warnings, files } = await buildGuard(target.path, onSlow === undefined ? {} : { onSlow });
    const { results, stuck } = await tryBytes(wasm, withTests(manifest, tests));
    const problems = [...(await typed), ...warnings];
    return { target, manifest, results: judge(results, maxFuel), problems, files, stuck };
  } catch (error) {
    return { ...nothing, problems: problemsOf(error) };
  }
}

function withTests(manifest: admission.Manifest, tests: TestOptions["tests"]): admission.Manifest {
  return { ...manifest, fixtures: [...tests(manifest.fixtures ?? [])] };
}

/** Returns TypeScript's type errors. Runs while the guard is built. Never rejects. */
export async function typeErrorsOf(guard: string): Promise<readonly Problem[]> {
  const source = await findSource(guard).catch(() => undefined);
  return source?.language === "typescript" ? checkTypes(source.folder).catch(() => []) : [];
}

async function testModule(target: Target, { maxFuel, tests }: TestOptions): Promise<TestedGuard> {
  const file = await readModule(target.path, dirname(target.path));
  if ("refused" in file) throw new HookError(file.refused.code, `${target.path} ${file.refused.message}`);
  // The guard is inspected a second time with the memory and the grants in its manifest.
  const { inspectModule } = await loadAdmission();
  const first = await inspectModule(file.bytes, requirementsOf({}));
  const { limits, wants } = first.manifest ?? {};
  const { manifest, problems, digest } =
    limits?.memoryMiB === undefined && wants === undefined
      ? first
      : await inspectModule(file.bytes, requirementsOf({ limits, wants }));
  const place = { file: target.path };
  const refused = problems.map(({ code, message }): Problem => {
    return {
      severity: "error",
      code: code as Problem["code"],
      message: `the module does not load: it ${message}`,
      place,
    };
  });
  const nothing = { target, results: [], files: [], stuck: false };
  if (refused.length > 0) return { ...nothing, manifest: undefined, problems: refused };
  if (manifest === null) return { ...nothing, manifest: UNNAMED, problems: [] };
  const { results, stuck } = await tryModule(target.path, withTests(manifest, tests), digest);
  return { ...nothing, manifest, results: judge(results, maxFuel), problems: [], stuck };
}

/** A placeholder for the manifest of a module without a manifest. Such a module has no tests. */
const UNNAMED: admission.Manifest = { name: "a guard without a manifest", version: "", abi: 1 };

function requirementsOf(
  manifest: Pick<admission.Manifest, "limits" | "wants">,
): Parameters<typeof admission.inspectModule>[1] {
  const { memoryBytes } = limitsOf(manifest);
  return { function: "handle", memoryBytes, sha256: undefined, grants: grantsForTrial(manifest) };
}
