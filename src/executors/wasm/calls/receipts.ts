import type { Receipt } from "../../../outcome.ts";
import { abi, COST_MODEL_VERSION, grants } from "../../../sandbox/index.ts";
import type { WasmRule } from "../wasm-rule.ts";
import type { EventInput } from "./event-input.ts";

/** Builds receipts of calls. */

const STARTED_AT_MS = performance.timeOrigin;

/** Returns milliseconds since 1970, with fractions. Values of different threads are comparable. */
export function epochMs(): number {
  return STARTED_AT_MS + performance.now();
}

export function receiptOf(
  startedAtMs: number,
  { bytes: inputBytes }: EventInput,
  details: Partial<Receipt> = {},
  endedAtMs = epochMs(),
): Receipt {
  return {
    micros: Math.max(0, Math.round((endedAtMs - startedAtMs) * 1_000)),
    inputBytes,
    abi: abi.GUEST_ABI_VERSION,
    costModel: COST_MODEL_VERSION,
    ...details,
  };
}

/** Returns the part of a receipt about the rule's grants. */
export function grantsOnReceipt({ handler }: WasmRule): Pick<Receipt, "grants" | "deterministic"> {
  if (handler.grants === undefined) return {};
  const deterministic = grants.isDeterministic(handler.grants) ? {} : { deterministic: false as const };
  return { grants: grants.words(handler.grants), ...deterministic };
}
