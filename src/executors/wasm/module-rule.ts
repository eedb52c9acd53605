import { BUILTIN_DEFAULTS } from "../../config/layered-settings.ts";
import { hookboxCodec } from "../../dialects/hookbox/codec.ts";
import { furtherAnswersOf, usualLimits } from "../../dialects/shipped-guards.ts";
import type { Grants, WasmLimits } from "../../grants.ts";
import type { Rule } from "../../rule.ts";

/** Default limits of a rule's guard. */
export const DEFAULT_WASM_LIMITS: WasmLimits = usualLimits("", BUILTIN_DEFAULTS);

interface ModuleRuleOptions {
  /** The expected digest. Default: the digest is not checked. */
  readonly sha256?: string;
  readonly limits?: Partial<WasmLimits>;
  /** The grants. Default: none. */
  readonly grants?: Grants;
  /** The timeout in milliseconds. Default: 1,000. */
  readonly timeoutMs?: number;
}

/**
 * Returns a rule for a module that is in no configuration, with the same defaults as a configured rule. Used to build
 * and test guards. `module` is a path, relative to the working directory, or `builtin:NAME`.
 */
export function ruleForModule(
  module: string,
  { sha256, limits, grants, timeoutMs = BUILTIN_DEFAULTS.wasmTimeoutMs }: ModuleRuleOptions = {},
): Rule {
  return {
    id: `module:${module}`,
    name: module,
    event: "*",
    matcher: undefined,
    handler: {
      type: "wasm",
      module,
      ...(sha256 === undefined ? {} : { sha256 }),
      function: "handle",
      config: {},
      limits: { ...usualLimits(module, BUILTIN_DEFAULTS), ...limits },
      ...(grants === undefined ? {} : { grants }),
    },
    timeoutMs,
    onFailure: undefined,
    mode: "enforce",
    may: ["deny", "ask", ...furtherAnswersOf(module)],
    priority: 0,
    async: false,
    dialect: hookboxCodec.dialect,
    codec: hookboxCodec,
    compat: "safer",
    layer: "command-line",
    place: undefined,
    baseDir: process.cwd(),
  };
}
