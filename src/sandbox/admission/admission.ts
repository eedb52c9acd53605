import { sha256 } from "../../cache/cache-folder.ts";
import { describeThrown } from "../../errors.ts";
import { importName } from "../guest/guest-abi.ts";
import type { CompiledModule } from "../guest/protocol.ts";
import type { Admission, AdmittedCode } from "./admitted-module.ts";
import { compile } from "./compile.ts";
import { startExportsOf } from "./entry-points.ts";
import { examine, type ModuleRequirements } from "./examination.ts";
import { refusalOf } from "./known-module.ts";
import { claimsOf } from "./manifest-claims.ts";
import { MAX_TABLE_ENTRIES, pagesFor } from "./module-limits.ts";
import { type RefusedModule, refusedModule } from "./refusal.ts";
import { rewrite } from "./rewrite.ts";

/** Decides whether a module may run, before V8 compiles any of it, and writes the limits into the module. */

/** Admits a module. `file` must be a private copy, because the digest must match exactly the compiled bytes. */
export async function admit(
  file: Uint8Array<ArrayBuffer>,
  requirements: ModuleRequirements,
): Promise<Admission<CompiledModule>> {
  const admitted = await admitCode(file, requirements);
  return admitted.ok ? compile(admitted) : admitted;
}

/** Cache of one entry, because `hookbox build` admits the same bytes three times: to build, test and prepare. */
let latest: { readonly key: string; readonly code: AdmittedCode } | undefined;

export async function admitCode(
  file: Uint8Array<ArrayBuffer>,
  requirements: ModuleRequirements,
): Promise<AdmittedCode | RefusedModule> {
  const key = `${sha256(file)}:${requirements.memoryBytes}:${requirements.function}`;
  if (latest?.key === key) return refusalOf(latest.code, requirements) ?? latest.code;
  const code = await examined(file, requirements);
  if (code.ok) latest = { key, code };
  return code;
}

async function examined(
  file: Uint8Array<ArrayBuffer>,
  requirements: ModuleRequirements,
): Promise<AdmittedCode | RefusedModule> {
  try {
    const { digest, binary, manifest, problems } = await examine(file, requirements);
    const [first] = problems;
    if (first !== undefined) return first;
    if (binary === undefined) throw new Error("the module was not read");
    const memoryPages = pagesFor(binary.memory, requirements.memoryBytes);
    const rewritten = rewrite(file, binary, { memoryPages, tableEntries: MAX_TABLE_ENTRIES });
    const imports = binary.imports.map(importName);
    const startExports = startExportsOf(binary);
    return { ok: true, digest, imports, startExports, memoryPages, claims: claimsOf(manifest), ...rewritten };
  } catch (error) {
    return unmeterable(error);
  }
}

function unmeterable(error: unknown): RefusedModule {
  return refusedModule("HOOK_MODULE_INVALID", "unavailable", `cannot be metered: ${describeThrown(error)}`);
}
