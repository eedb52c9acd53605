import { describeThrown, type Problem } from "../../../errors.ts";
import type { Failure } from "../../../outcome.ts";
import type { RefusedModule } from "../../../sandbox/index.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import type { WasmRule } from "../wasm-rule.ts";

/** Failures and problems of rules whose guard did not run. */

/** Returns the failure of a load that was rejected. If the signal has fired, its reason outranks the error. */
export function failureOfLoad(error: unknown, signal: StopSignal): Failure {
  if (signal.aborted) return signal.reason as Failure;
  return { kind: "unavailable", message: `the guard could not be run: ${describeThrown(error)}` };
}

export function failureOfRefusal(rule: WasmRule, { kind, code, message, limit, value }: RefusedModule): Failure {
  return {
    kind,
    code,
    message: `${code}: module ${rule.handler.module} ${message}`,
    ...(limit === undefined ? {} : { limit }),
    ...(value === undefined ? {} : { value }),
  };
}

/** Returns a refusal as a problem of the configuration. */
export function problemOf({ name, handler }: WasmRule, { code, message, hint }: RefusedModule): Problem {
  return {
    severity: "error",
    code,
    message: `rule "${name}": module ${handler.module} ${message}`,
    ...(hint === undefined ? {} : { hint }),
  };
}
