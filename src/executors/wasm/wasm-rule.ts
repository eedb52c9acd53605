import type { Rule } from "../../rule.ts";
import type { ModuleStore } from "../../sandbox/index.ts";

/** A rule whose handler is of type `wasm`. */
export type WasmRule = Rule & { readonly handler: Extract<Rule["handler"], { type: "wasm" }> };

export function asWasmRule(rule: Rule): WasmRule {
  if (rule.handler.type !== "wasm") throw new TypeError(`rule ${rule.id} is not a wasm rule`);
  return rule as WasmRule;
}

/** Returns what a rule requires of its module. */
export function moduleOf({ handler, baseDir, approved }: WasmRule): Parameters<ModuleStore["get"]>[0] {
  const copy = approved?.module;
  if (copy === undefined) return { ...handler, baseDir };
  return { ...handler, baseDir, module: copy.file, sha256: handler.sha256 ?? copy.sha256 };
}
