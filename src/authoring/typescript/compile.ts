import type { Problem } from "../../errors.ts";
import { type admission, loadAdmission, readEngine } from "../../sandbox/index.ts";
import { describeIssue } from "../../schema-issue.ts";
import { readStrictJson } from "../../strict-json.ts";
import { BuildError } from "../build-error.ts";
import type { GuardSource } from "../guard-source.ts";
import { type Bundle, bundleGuard, SCRIPT_NAME } from "./bundle.ts";
import { GuardScriptError, snapshotGuard } from "./snapshot.ts";

export interface ScriptReport {
  readonly engineBytes: number;
  /** The size of the author's code and its imports, as one script. */
  readonly bundleBytes: number;
  /** The script's part of the module: the memory after all top-level code has run. */
  readonly snapshotBytes: number;
  /** The inputs of the script, the largest first. */
  readonly inputs: readonly {
    readonly name: string;
    readonly kind: "own" | "package" | "hookbox";
    readonly bytes: number;
  }[];
}

export interface CompiledScript {
  readonly wasm: Uint8Array;
  readonly manifest: admission.Manifest;
  readonly script: ScriptReport;
  readonly warnings: readonly Problem[];
  /** The absolute paths of the author's files in the module. */
  readonly files: readonly string[];
}

/**
 * Compiles TypeScript to a module: bundles the guard, runs the script once in the JavaScript engine, and stores the
 * resulting memory in the module.
 */
export async function compileTypeScript(source: GuardSource): Promise<CompiledScript> {
  const [bundle, engine] = await Promise.all([bundleGuard(source), readEngine()]);
  const { wasm, manifest } = await snapshot(engine, bundle, source);
  const script: ScriptReport = {
    engineBytes: engine.byteLength,
    bundleBytes: Buffer.byteLength(bundle.script),
    snapshotBytes: Math.max(0, wasm.byteLength - engine.byteLength),
    inputs: bundle.inputs,
  };
  return { wasm, manifest, script, warnings: bundle.warnings, files: bundle.files };
}

async function snapshot(
  engine: Uint8Array,
  bundle: Bundle,
  source: GuardSource,
): Promise<{ readonly wasm: Uint8Array; readonly manifest: admission.Manifest }> {
  const { ManifestSchema } = await loadAdmission();
  const read = (text: string): admission.Manifest => readManifest(text, source, ManifestSchema);
  const wantsOf = (text: string): readonly string[] => read(text).wants ?? [];
  try {
    const made = await snapshotGuard({ engine, script: bundle.script, fileName: SCRIPT_NAME, wantsOf });
    return { wasm: made.wasm, manifest: read(made.manifest) };
  } catch (error) {
    if (!(error instanceof GuardScriptError)) throw error;
    throw new BuildError([failureOf(error.message, bundle, source)], error);
  }
}

const FRAME = new RegExp(`${SCRIPT_NAME.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`);

/** Returns the script's error as a problem, at the first place on its stack that is in the author's files. */
function failureOf(text: string, { locate }: Bundle, { file }: GuardSource): Problem {
  const [what = "", ...frames] = text.split("\n");
  const found = { severity: "error", code: "HOOK_BUILD_SOURCE" } as const;
  for (const frame of frames) {
    const [, line, column] = FRAME.exec(frame) ?? [];
    const place = line === undefined ? undefined : locate(Number(line), Number(column ?? 1));
    if (place === undefined) continue;
    const aboutDefinition = /^TypeError: (defineGuard: .*)$/.exec(what)?.[1];
    // `defineGuard` threw the error, so its message is already plain.
    if (aboutDefinition !== undefined) return { ...found, message: aboutDefinition, place };
    const hint = "code outside of functions runs once, while the guard is built";
    return { ...found, message: `the guard's top-level code failed: ${what}`, hint, place };
  }
  // The runtime checks the file's export after all of the author's code has run, so no frame is the author's.
  return { ...found, message: what.replace(/^TypeError: /, ""), place: { file } };
}

function readManifest(
  text: string,
  { file }: GuardSource,
  schema: typeof admission.ManifestSchema,
): admission.Manifest {
  const json = readStrictJson(Buffer.from(text), "manifest");
  const result = json.ok ? schema.omit({ fixtures: true }).safeParse(json.value) : undefined;
  if (result?.success === true) return result.data;
  const [issue] = result?.error.issues ?? [];
  const why = json.ok ? (issue === undefined ? "" : describeIssue(issue, json.value)) : json.message;
  throw new BuildError([
    {
      severity: "error",
      code: "HOOK_MODULE_MANIFEST",
      message: `the argument of defineGuard is not a valid manifest: ${why}`,
      place: { file },
    },
  ]);
}
