import { CONFIG_VERSION } from "../dialects/hookbox/config-version.ts";
import { COST_MODEL_VERSION } from "../executors/wasm/admission/cost-model.ts";
import { GUEST_ABI_VERSION } from "../executors/wasm/guest/guest-abi.ts";
import { packageInfo } from "../package-info.ts";

/** The version of the package, and of each contract that has one of its own. */
export interface Versions {
  readonly hookbox: string;
  /** Of the configuration format. */
  readonly config: number;
  /** Of the interface between host and guard. */
  readonly guestAbi: number;
  /** Of what a guard's work costs. */
  readonly costModel: number;
  readonly node: string;
}

export function versions(): Versions {
  return {
    hookbox: packageInfo().version,
    config: CONFIG_VERSION,
    guestAbi: GUEST_ABI_VERSION,
    costModel: COST_MODEL_VERSION,
    node: process.versions.node,
  };
}
