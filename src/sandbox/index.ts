import type { SharedThreads } from "./pool/guest-pool.ts";

/** Runs functions of untrusted WebAssembly modules. The only file of the sandbox that other folders import. */

export type { AdmittedModule } from "./admission/admitted-module.ts";
export { COST_MODEL_VERSION } from "./admission/cost-model.ts";
export type * as admission from "./admission/index.ts";
export { switchOptimiserOff } from "./admission/optimiser.ts";
export { type RefusedModule, refusedModule } from "./admission/refusal.ts";
export * as grants from "./grants/grants.ts";
export * as abi from "./guest/guest-abi.ts";
export { readEngine } from "./modules/engine-file.ts";
export { readModule } from "./modules/module-source.ts";
export { ModuleStore } from "./modules/module-store.ts";
export type { SandboxOptions, SharedThreads } from "./pool/guest-pool.ts";
export { Sandbox } from "./sandbox.ts";

/** Loads what tools that build, inspect and review modules need. Calls of known modules do not need it. */
export const loadAdmission = () => import("./admission/index.ts");

/** Starts threads for the guards of several engines: `createEngine({ sandbox: { threads } })`. */
export async function shareThreads(count: number): Promise<SharedThreads> {
  const { ThreadSharing } = await import("./pool/thread-sharing.ts");
  return new ThreadSharing(count);
}
