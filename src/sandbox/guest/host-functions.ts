import type { ExtismPluginOptions } from "@extism/extism";
import type { Capability } from "../grants/grants.ts";

export type ValueType = "i32" | "i64";

/** The type of a function that a guest may import, and what it lets a guest do. */
export interface HostFunction {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
  readonly capability: Capability;
}

/** The functions that a guest is linked with, by namespace and name. */
export type HostFunctions = NonNullable<ExtismPluginOptions["functions"]>;
