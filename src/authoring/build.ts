import { basename } from "node:path";
import type { Problem } from "../errors.ts";
import { abi, type admission, loadAdmission } from "../sandbox/index.ts";
import { BuildError, refuseErrors } from "./build-error.ts";
import { withCustomSection } from "./custom-section.ts";
import { findSource, type GuardSource } from "./guard-source.ts";
import { limitsOf } from "./limits.ts";
import { readFixtures, readManifestFile } from "./source-json.ts";
import { grantsForTrial } from "./trial-grants.ts";
import type { CompiledScript, ScriptReport } from "./typescript/compile.ts";

/** Builds a guard's source into one module with manifest and tests, and checks that the sandbox admits it. */

interface BuildOptions {
  /** The tests of the guard. Default: the fixtures in `fixtures.json` next to the source, if the file exists. */
  readonly fixtures?: readonly admission.Fixture[];
  /** Called before work that takes much longer than usual, with a text about the work. */
  readonly onSlow?: (what: string) => void;
}

export interface BuiltGuard {
  readonly source: GuardSource;
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** The manifest, which includes the fixtures. */
  readonly manifest: admission.Manifest;
  readonly report: BuildReport;
  readonly inspection: admission.Inspection;
  readonly warnings: readonly Problem[];
  /** The absolute paths of the author's files in the module, if known. */
  readonly files: readonly string[];
}

/** The sizes of the module's parts, in bytes. */
interface BuildReport {
  /** The size of the whole module. */
  readonly totalBytes: number;
  /** The size of manifest and fixtures. */
  readonly manifestBytes: number;
  /** The size of the module after admission, with metering. */
  readonly admittedBytes: number;
  /** The linear memory at the start of a call. */
  readonly memoryBytes: number;
  /** The parts of the script. Only for guards in TypeScript, which contain a JavaScript engine. */
  readonly script?: ScriptReport;
}

/** The result of a language's compiler. The manifest has no fixtures yet. */
type Compiled = Pick<CompiledScript, "wasm" | "manifest" | "warnings"> & Partial<CompiledScript>;

/**
 * Builds the guard at a path, which is a file or a folder. The same source gives the same bytes in every folder. Throws
 * a `BuildError` with all problems, or a `HookError` if there is no guard or no compiler.
 */
export async function buildGuard(path: string, options: BuildOptions = {}): Promise<BuiltGuard> {
  const source = await findSource(path);
  const { admitCode, inspectModule } = await loadAdmission();
  const fixtures = options.fixtures ?? (await readFixtures(source.folder));
  const compiled = await compile(source, options.onSlow);
  const manifest: admission.Manifest = { ...compiled.manifest, fixtures: [...fixtures] };
  const text = JSON.stringify(manifest);
  const wasm = withCustomSection(compiled.wasm, abi.MANIFEST_SECTION, text);
  const { memoryBytes } = limitsOf(manifest);
  const requirements = { function: "handle", memoryBytes, sha256: undefined, grants: grantsForTrial(manifest) };
  const inspection = await inspectModule(wasm, requirements);
  const missing = inspection.needs.filter((one) => !inspection.granted.includes(one));
  refuseErrors(
    inspection.problems.map(({ code, message }) => ({
      severity: "error",
      code: code as Problem["code"],
      message: `the module does not load: it ${message}`,
      ...(missing.length > 0 && code === "HOOK_MODULE_IMPORT" ? { hint: hintToWant(manifest, missing) } : {}),
      place: { file: source.file },
    })),
  );
  const admitted = await admitCode(wasm, requirements);
  if (!admitted.ok) throw new BuildError([{ severity: "error", code: admitted.code, message: admitted.message }]);
  return {
    source,
    wasm,
    manifest,
    inspection,
    report: {
      totalBytes: wasm.byteLength,
      manifestBytes: Buffer.byteLength(text),
      admittedBytes: admitted.bytes.byteLength,
      memoryBytes: inspection.memory?.initialBytes ?? 0,
      ...(compiled.script === undefined ? {} : { script: compiled.script }),
    },
    warnings: compiled.warnings,
    files: compiled.files ?? [source.file],
  };
}

function hintToWant({ wants = [] }: admission.Manifest, missing: readonly string[]): string {
  const words = [...wants, ...missing].map((one) => `"${one}"`).join(", ");
  return `write into its manifest: "wants": [${words}]`;
}

/** Compiles the source. Loads only the compiler for the guard's language. */
async function compile(source: GuardSource, onSlow: BuildOptions["onSlow"]): Promise<Compiled> {
  if (source.language === "typescript") {
    const { compileTypeScript } = await import("./typescript/compile.ts");
    return compileTypeScript(source);
  }
  const manifest = await readManifestFile(source.folder);
  if (source.language === "rust") {
    const { compileRust } = await import("./rust/compile.ts");
    return { wasm: await compileRust(source.folder), manifest, warnings: [] };
  }
  if (basename(source.file) !== "guard.c") {
    throw new BuildError([
      {
        severity: "error",
        code: "HOOK_BUILD_NOT_FOUND",
        message: "a guard in C is built from guard.c",
        hint: "rename the file; it may include others",
        place: { file: source.file },
      },
    ]);
  }
  const { compileC } = await import("./c/compile.ts");
  return { wasm: await compileC(source.folder, onSlow), manifest, warnings: [] };
}
