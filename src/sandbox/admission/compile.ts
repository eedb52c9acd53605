import { describeThrown } from "../../errors.ts";
import type { CompiledModule, GuestModule, UncompiledModule } from "../guest/protocol.ts";
import type { Admission, AdmittedCode, AdmittedModule } from "./admitted-module.ts";
import { PAGE_BYTES } from "./module-limits.ts";
import { compileModule } from "./optimiser.ts";
import { type RefusedModule, refusedModule } from "./refusal.ts";

/** Turns admitted code into a module: compiled, for threads to share, or as bytes, which sandbox processes compile. */

export async function compile(code: AdmittedCode): Promise<Admission<CompiledModule>> {
  const { bytes, state, codeBytes, isLight } = code;
  try {
    // Compilation also validates the module that the rewrite produced.
    const compiled = await compileModule(bytes, code);
    return admittedModule(code, { compiled, state, codeBytes, isLight });
  } catch (error) {
    return uncompilable(describeThrown(error));
  }
}

/** Like `compile`, but only validates the module and compiles nothing in this process. */
export function validated(code: AdmittedCode): Admission<UncompiledModule> {
  const { bytes, state, codeBytes, isLight } = code;
  if (!WebAssembly.validate(bytes)) return uncompilable("it is invalid after its limits were added");
  return admittedModule(code, { bytes, state, codeBytes, isLight });
}

export function admittedModule<Module extends GuestModule>(
  {
    digest,
    memoryPages,
    imports,
    startExports,
    claims,
  }: Pick<AdmittedCode, "digest" | "memoryPages" | "imports" | "startExports" | "claims">,
  module: Module,
): AdmittedModule<Module> {
  const key = `${digest}:${memoryPages}`;
  const memoryBytes = memoryPages * PAGE_BYTES;
  return { ok: true, key, digest, module, memoryBytes, imports, startExports, claims };
}

function uncompilable(why: string): RefusedModule {
  return refusedModule("HOOK_MODULE_INVALID", "unavailable", `cannot be compiled: ${why}`);
}
