import type { RuleOutcome } from "../../src/aggregate/aggregate.ts";
import { claudeCodeCodec } from "../../src/dialects/claude-code/codec.ts";
import type { FailureKind, Reply } from "../../src/outcome.ts";
import type { Rule } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";

type Look = RuleOutcome["look"];

const RECEIPT = { micros: 1 };

/** Returns a command rule in hookbox's own format, with a name. */
export const own = (name: string, parts: Partial<Rule> = {}): Rule => makeRule({ name, ...parts });

/** Returns a command rule from an agent's own settings. */
export const imported = (name: string, parts: Partial<Rule> = {}): Rule =>
  makeRule({ name, codec: claudeCodeCodec, ...parts });

/** Returns a rule whose handler is a guard. */
export const guard = (name: string, parts: Partial<Rule> = {}): Rule =>
  makeRule({
    name,
    handler: {
      type: "wasm",
      module: `./${name}.wasm`,
      function: "handle",
      config: {},
      limits: { memoryBytes: 1_048_576, outputBytes: 65_536, fuel: 1e6, fuelPerInputByte: 0, depth: 1e5 },
    },
    ...parts,
  });

const ruleOf = (rule: Rule | string): Rule => (typeof rule === "string" ? own(rule) : rule);

export function says(rule: Rule | string, reply: Reply, look: Look = "first"): RuleOutcome {
  return { rule: ruleOf(rule), outcome: { status: "decided", reply, receipt: RECEIPT }, look };
}

export function abstains(rule: Rule | string, look: Look = "first"): RuleOutcome {
  return { rule: ruleOf(rule), outcome: { status: "abstained", receipt: RECEIPT }, look };
}

export function fails(rule: Rule | string, kind: FailureKind, message = "it broke", look: Look = "first"): RuleOutcome {
  return { rule: ruleOf(rule), outcome: { status: "failed", failure: { kind, message }, receipt: RECEIPT }, look };
}
