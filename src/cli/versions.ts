import { CONFIG_VERSION } from "../dialects/hookbox/config-version.ts";
import { packageInfo } from "../package-info.ts";
import { abi, COST_MODEL_VERSION } from "../sandbox/index.ts";

/** The versions of the package and of each contract with its own version. */
interface Versions {
  readonly hookbox: string;
  /** The version of the configuration format. */
  readonly config: number;
  /** The version of the guest ABI. */
  readonly guestAbi: number;
  /** The version of the fuel costs. */
  readonly costModel: number;
  readonly node: string;
}

export function versions(): Versions {
  return {
    hookbox: packageInfo().version,
    config: CONFIG_VERSION,
    guestAbi: abi.GUEST_ABI_VERSION,
    costModel: COST_MODEL_VERSION,
    node: process.versions.node,
  };
}
