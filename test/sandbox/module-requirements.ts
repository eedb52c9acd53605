import { createHash } from "node:crypto";
import { expect } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import type { AdmittedModule } from "../../src/sandbox/admission/admitted-module.ts";
import type { ModuleRequirements } from "../../src/sandbox/admission/examination.ts";
import type { RefusedModule } from "../../src/sandbox/admission/refusal.ts";
import type { CompiledModule } from "../../src/sandbox/guest/protocol.ts";

export const MIB = 1_048_576;
export const PAGE = 65_536;

export const requirements = (parts: Partial<ModuleRequirements> = {}): ModuleRequirements => ({
  sha256: undefined,
  function: "handle",
  memoryBytes: 16 * MIB,
  ...parts,
});

export async function admitted(
  module: Uint8Array<ArrayBuffer>,
  parts?: Partial<ModuleRequirements>,
): Promise<AdmittedModule<CompiledModule>> {
  const admission = await admit(module, requirements(parts));
  if (!admission.ok) throw new Error(`expected admission, got ${admission.code}: ${admission.message}`);
  return admission;
}

export async function refused(
  module: Uint8Array<ArrayBuffer>,
  parts?: Partial<ModuleRequirements>,
): Promise<RefusedModule> {
  const admission = await admit(module, requirements(parts));
  if (admission.ok) throw new Error("expected a refusal, and the module was admitted");
  expect(admission.message).not.toBe("");
  return admission;
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Returns the exports of an admitted module without imports, with unlimited fuel and depth. */
export async function exportsOf({ module }: AdmittedModule<CompiledModule>): Promise<Record<string, unknown>> {
  const { exports } = await WebAssembly.instantiate(module.compiled, {});
  for (const name of [module.state.fuel, module.state.depth]) (exports[name] as WebAssembly.Global).value = 2n ** 52n;
  return exports;
}
