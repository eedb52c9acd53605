import { describeThrown, type Problem } from "../../../errors.ts";
import type { Failure } from "../../../outcome.ts";
import type { RefusedModule } from "../../../sandbox/admission/refusal.ts";
import type { WasmRule } from "../../../sandbox/modules/module-store.ts";
import type { BrokenSandbox } from "../../../sandbox/pool/guest-pool.ts";
import type { StopSignal } from "../../../stop-signal.ts";

/** Failures and problems of calls that no guest answered. */

/** Returns the failure of a call that was rejected. If the signal has fired, its reason outranks the error. */
export function failureOf(error: unknown, signal: StopSignal): Failure {
  return signal.aborted ? (signal.reason as Failure) : poolFailure(error);
}

export const NO_WORKER: Failure = { kind: "unavailable", message: "no worker thread took the call" };

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

function poolFailure(error: unknown): Failure {
  const { name, code: brokenCode, message } = (error ?? {}) as Partial<BrokenSandbox>;
  if (name === "BrokenSandbox" && brokenCode !== undefined)
    return { kind: "unavailable", code: brokenCode, message: message ?? "" };
  const cause = error instanceof Error ? error.cause : undefined;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { kind: "memory", message: "the worker thread ran out of memory" };
  return { kind: "unavailable", message: `the guard could not be run: ${describeThrown(error)}` };
}
