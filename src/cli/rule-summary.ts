import { meaningOfFailure } from "../aggregate/failure-policy.ts";
import { contractOf, denialWord } from "../events/lookup.ts";
import { FAILURE_KINDS } from "../outcome.ts";
import type { Answer, Rule } from "../rule.ts";
import { grants } from "../sandbox/index.ts";
import { cleanLine } from "../text.ts";

/** Texts for users about a rule's limits, grants and answers. */

/** Returns the line of limits and possible answers. `format` is the file's format, not the rule's dialect. */
export function summaryOf(rule: Rule, format: string): string {
  const parts = [
    ...worksBy(rule),
    `${rule.timeoutMs} ms`,
    `on failure ${failureTerm(rule)}`,
    answersOf(rule).length === 0 ? "no answers" : `may ${answersOf(rule).join("+")}`,
    ...(granted(rule).length === 0
      ? []
      : [
          `grants ${granted(rule)
            .map((one) => cleanLine(one))
            .join("; ")}`,
        ]),
    ...(rule.condition === undefined ? [] : [`if ${cleanLine(rule.condition)}`]),
    ...(rule.filter === undefined ? [] : ["filter"]),
    ...(rule.once === undefined ? [] : [ONCE[rule.once]]),
    ...(rule.lane === undefined ? [] : [rule.lane]),
    ...(rule.agent === undefined ? [] : [`agent ${cleanLine(rule.agent.name)}`]),
    ...(rule.dialect === format ? [] : [`speaks ${rule.dialect}`]),
    ...(rule.mode === "monitor" ? ["monitor"] : []),
    ...(rule.async ? ["async"] : []),
    ...(rule.rewakes === true ? ["wakes the agent"] : []),
    ...(rule.implied === true ? [`added by ${rule.dialect}`] : []),
  ];
  return parts.join(", ");
}

/** Returns further remarks about a rule that applies to an event. */
export function remarksOn(rule: Rule): readonly string[] {
  const words = granted(rule).map((one) => cleanLine(one));
  return [
    ...worksBy(rule),
    ...(words.length === 0 ? [] : [`grants: ${words.join("; ")}`]),
    ...(rule.mode === "monitor" ? ["monitor: the answer is recorded and has no effect on the verdict"] : []),
    ...(rule.once === undefined ? [] : [`${ONCE[rule.once]}: skipped after it has succeeded`]),
    ...(rule.lane === undefined ? [] : [`${rule.lane}: asked early in a tool call; its "allow" is only advice`]),
    ...(rule.async ? ["async: runs in the background, without effect on the verdict"] : []),
  ];
}

/** Returns what a rule runs or asks, if the rule has no name of its own. */
function worksBy({ unnamed, handler }: Rule): readonly string[] {
  if (unnamed !== true) return [];
  if (handler.type === "http")
    return [`asks ${shortened(handler.url.replace(/[?#].*$/, "").replace(/\/\/.*@/, "//"))}`];
  if (handler.type !== "command") return [];
  return [`runs ${shortened([handler.command, ...(handler.args ?? [])].join(" "))}`];
}

function shortened(text: string): string {
  const line = cleanLine(text);
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

function granted({ handler }: Rule): readonly string[] {
  return handler.type === "wasm" ? grants.words(handler.grants) : [];
}

const ONCE = { session: "once per session", forever: "only once" } as const;

/** Returns the answers that the rule may give and its event can use. */
function answersOf({ may, event, dialect, lane, compat }: Rule): Rule["may"] {
  const contract = contractOf(event, dialect, lane, compat);
  if (contract === undefined) return may;
  const { verdicts, rewrites, context } = contract;
  const isUsed: Readonly<Record<Answer, boolean>> = {
    deny: denialWord(contract) !== undefined || verdicts.includes("continue:false"),
    ask: verdicts.includes("ask"),
    allow: verdicts.includes("allow"),
    rewrite: rewrites !== null,
    context: context !== null,
  };
  return may.filter((answer) => isUsed[answer]);
}

/** Returns what a failure of the rule means, or "by kind" if the kind of failure decides. */
function failureTerm(rule: Rule): string {
  const contract = contractOf(rule.event, rule.dialect);
  if (rule.async || contract === undefined) return "continue";
  const kinds = FAILURE_KINDS.filter((kind) => rule.handler.type === "wasm" || !GUARDS_ONLY.includes(kind));
  const meanings = new Set(kinds.map((kind) => meaningOfFailure(kind, rule, contract)));
  const [meaning, other] = meanings;
  const word = other === undefined ? (meaning as string) : "by kind";
  return contract.kind === "gate" && rule.onFailure === undefined ? `default: ${word}` : word;
}

/** Kinds of failure that only wasm rules have. */
const GUARDS_ONLY: readonly string[] = ["fuel", "stack", "memory", "trap", "capability", "integrity"];
