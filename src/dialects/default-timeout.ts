import type { HandlerType } from "../rule.ts";
import type { RuleDefaults } from "./dialect.ts";

type TimeKey = "commandTimeoutMs" | "modelTimeoutMs" | "agentTimeoutMs" | "wasmTimeoutMs";

const TIMES: Partial<Record<HandlerType, TimeKey>> = {
  wasm: "wasmTimeoutMs",
  model: "modelTimeoutMs",
  agent: "agentTimeoutMs",
};

/** Returns the setting with the default timeout for a type of rule. All types that are not listed share one setting. */
export function timeKeyOf(type: HandlerType): keyof RuleDefaults & TimeKey {
  return TIMES[type] ?? "commandTimeoutMs";
}
