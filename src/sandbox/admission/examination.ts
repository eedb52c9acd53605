import { createHash } from "node:crypto";
import { OperatorCodeNames } from "wasmparser";
import { describeThrown } from "../../errors.ts";
import type { Grants, WasmLock } from "../../grants.ts";
import { type ModuleBinary, type ModuleOutline, openModule } from "../../wasm-binary/module-binary.ts";
import { RefusedOperator } from "../../wasm-binary/operators.ts";
import { RefusedFeature, TooLarge } from "../../wasm-binary/refusals.ts";
import { importName } from "../guest/guest-abi.ts";
import { checkImport } from "./allowed-imports.ts";
import { checkDigest, checkLock } from "./check-lock.ts";
import { checkEntryPoints, checkStart, checkStartExports, startExportsOf } from "./entry-points.ts";
import { readManifest } from "./manifest.ts";
import type { Manifest } from "./manifest-schema.ts";
import { checkMemory, checkSize, checkSizes, MAX_MODULE_BYTES } from "./module-limits.ts";
import { Refusal, type RefusedModule, refusedModule } from "./refusal.ts";

/** Examines a module without compiling or running it. */

export interface ModuleRequirements {
  /** The expected digest, if the rule pins the module: 64 hexadecimal digits. */
  readonly sha256: string | undefined;
  readonly function: string;
  readonly memoryBytes: number;
  /** The module's entry in the lock file, if a lock file exists. */
  readonly locked?: WasmLock | undefined;
  /** The grants of the rule. Default: no grants. */
  readonly grants?: Grants | undefined;
}

export interface Examination {
  readonly digest: string;
  readonly bytes: number;
  /** The module's outline. `undefined` if the module could not be read. */
  readonly outline: ModuleOutline | undefined;
  readonly binary: ModuleBinary | undefined;
  readonly manifest: Manifest | undefined;
  /** Reasons to refuse the module. The module may run only if this list is empty. */
  readonly problems: readonly RefusedModule[];
}

/** Maximum number of reported problems. A module can have 100,000 imports, and reporting each takes time at a gate. */
const MAX_PROBLEMS = 100;

/** Examines a module. `file` must be a private copy, because the digest must match exactly the compiled bytes. */
export async function examine(file: Uint8Array<ArrayBuffer>, requirements: ModuleRequirements): Promise<Examination> {
  const digest = createHash("sha256").update(file).digest("hex");
  const problems: RefusedModule[] = [];
  const attempt = <Value>(check: () => Value): Value | undefined => {
    try {
      return check();
    } catch (error) {
      problems.push(error instanceof Refusal ? error.refused : unreadable(error));
      return undefined;
    }
  };
  const found = { digest, bytes: file.byteLength, problems };
  const nothing = { ...found, outline: undefined, binary: undefined, manifest: undefined };

  attempt(() => checkSize(file.byteLength));
  attempt(() => checkDigest(digest, requirements.sha256));
  if (file.byteLength > MAX_MODULE_BYTES) return nothing;
  // The module is read before V8 validates it, because a crafted megabyte can cost V8's validator a minute or all
  // memory, and no timeout can interrupt the validator. Only modules that were read to the end here are validated.
  const opened = attempt(() => openModule(file));
  const code = attempt(() => opened?.readCode());
  // The module is validated before the rewrite, which adds globals for fuel and depth. Otherwise an index that is valid
  // only with those globals would let the guest reset its fuel.
  const isInvalid = code !== undefined && !WebAssembly.validate(file);
  if (isInvalid) problems.push(refusedModule("HOOK_MODULE_INVALID", "unavailable", NOT_VALID));
  if (opened === undefined || isInvalid) {
    attempt(() => checkLock(digest, [], requirements));
    return nothing;
  }
  const { outline } = opened;
  const binary = code === undefined ? undefined : { ...outline, ...code };
  attempt(() => checkLock(digest, outline.imports.map(importName), requirements));
  attempt(() => checkStart(outline));
  attempt(() => checkStartExports(startExportsOf(outline), requirements.grants));
  for (const entry of outline.imports) {
    if (problems.length >= MAX_PROBLEMS) break;
    attempt(() => checkImport(entry, outline, requirements.grants));
  }
  attempt(() => checkEntryPoints(outline, requirements.function));
  attempt(() => checkMemory(outline, requirements.memoryBytes));
  if (binary !== undefined) attempt(() => checkSizes(binary));
  const manifest = await readManifest(file, outline.sections).catch(unreadable);
  if (manifest?.ok === false) problems.push(manifest);
  return { ...found, outline, binary, manifest: manifest?.ok === true ? manifest.manifest : undefined };
}

const NOT_VALID = "is not a valid WebAssembly module";

function unreadable(error: unknown): RefusedModule {
  if (error instanceof RefusedOperator) {
    const name = OperatorCodeNames[error.code] ?? `0x${error.code.toString(16)}`;
    const message = `uses the instruction ${name}, which not every supported Node version runs in the same way`;
    return refusedModule("HOOK_MODULE_FEATURE", "capability", message);
  }
  if (error instanceof RefusedFeature) {
    const message = `has ${error.message}, which not every supported Node version runs in the same way`;
    return refusedModule("HOOK_MODULE_FEATURE", "capability", message);
  }
  if (error instanceof TooLarge) {
    return refusedModule("HOOK_MODULE_LIMIT", "memory", error.message, { limit: error.limit, value: error.value });
  }
  return refusedModule(
    "HOOK_MODULE_INVALID",
    "unavailable",
    `${NOT_VALID}, or cannot be read: ${describeThrown(error)}`,
  );
}
