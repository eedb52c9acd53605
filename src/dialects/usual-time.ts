import type { HandlerType } from "../rule.ts";
import type { RuleDefaults } from "./dialect.ts";

type TimeKey = "commandTimeoutMs" | "modelTimeoutMs" | "agentTimeoutMs" | "wasmTimeoutMs";

const TIMES: Partial<Record<HandlerType, TimeKey>> = {
  wasm: "wasmTimeoutMs",
  model: "modelTimeoutMs",
  agent: "agentTimeoutMs",
};

/** The setting that holds for rules of a type that do not say how long they may take. All others share one. */
export function timeKeyOf(type: HandlerType): keyof RuleDefaults & TimeKey {
  return TIMES[type] ?? "commandTimeoutMs";
}
