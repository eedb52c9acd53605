import { formatPlace, type Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOfEvent, denialWord, hasLanes } from "../events/lookup.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { mayComeWithRepository, trustOf } from "../layer-trust.ts";
import { type Decision, type Failure, failureLine, type HookOutcome, type Reply } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { cleanLine, cleanText } from "../text.ts";
import type { RuleReport, Verdict } from "../verdict.ts";
import { classifyOutcome } from "./classify-outcome.ts";
import { type FailureMeaning, meaningOfFailure } from "./failure-policy.ts";
import { labelReply } from "./label-reply.ts";
import { Rewrites } from "./rewrites.ts";
import type { RuleOutcome } from "./rule-outcome.ts";
import { type SecondLook, secondLookAt, stillPermits, tighten } from "./second-look-outcome.ts";

export type { RuleOutcome } from "./rule-outcome.ts";

/** Decisions, strongest first. The word for a refusal depends on the event: `deny` or `block`. */
const PRECEDENCE: readonly Decision[] = ["deny", "block", "defer", "ask", "allow"];

/**
 * Combines all outcomes into one verdict. A pure function: the same ruleOutcomes in the same order give the same verdict,
 * in whatever order the rules finished. `ruleOutcomes` are in verdict order (priority, then configuration order), and those
 * of the second look follow all of the first look.
 */
export function aggregate(
  event: HookEvent,
  ruleOutcomes: readonly RuleOutcome[],
  problems: readonly Problem[] = [],
): Verdict {
  const contract = contractOfEvent(event);
  const rewrites = Rewrites.among(event, contract, ruleOutcomes);
  const second = secondLookAt(ruleOutcomes, rewrites);
  const weighed = ruleOutcomes.map((ruleOutcome) => weigh(ruleOutcome, event, contract, rewrites, second));
  const enforced = weighed.filter((one) => one.rule.mode === "enforce");
  const counted = enforced.map((one) => one.counts);
  const lastWins = mostTrustedLast(enforced).map((one) => one.counts);
  const summary = chosenSummary(enforced);

  const goesOn = !counted.some((reply) => reply.continue === false);
  const cancelled = ruleOutcomes.some(
    ({ outcome }) => outcome.status === "failed" && outcome.failure.kind === "cancelled",
  );
  const said = decide(counted, goesOn, contract);
  // If a rule was cancelled before it answered, an "allow" from the other rules does not count.
  const decision = cancelled && said === "allow" ? "none" : said;
  // A refused or deferred call does not run, so its rewritten input is dropped.
  const stopped = decision === "deny" || decision === "block" || decision === "defer";

  return {
    event: event.name,
    decision,
    continue: goesOn,
    stopReason: goesOn ? null : joined(counted, (reply) => (reply.continue === false ? reply.stopReason : undefined)),
    reason:
      decision === "none"
        ? null
        : // A rule that stops the agent also refuses the call. Its stop reason is then the only reason.
          (joined(counted, (reply) => (reply.decision === decision ? reply.reason : undefined)) ??
          joined(counted, (reply) => reply.stopReason)),
    additionalContext: joined(counted, (reply) => reply.additionalContext),
    systemMessage: joined(counted, (reply) => reply.systemMessage),
    suppressOutput: counted.some((reply) => reply.suppressOutput === true),
    updatedInput: stopped ? null : (rewrites?.input ?? null),
    updatedOutput: rewrites?.output ?? null,
    updatedMessages: rewrites?.messages ?? null,
    summary: summary ?? null,
    followUp: joined(counted, (reply) => reply.followUp),
    metadata: merge(lastWins, (reply) => reply.metadata),
    approval: rewrites?.approval ?? null,
    specific: mergeFields(counted, lastWins),
    cancelled,
    rules: weighed.map((one) => one.report),
    problems,
  };
}

interface Weighed {
  readonly rule: Rule;
  /** The part of the reply that counts for the verdict. */
  readonly counts: Reply;
  /** The same array as `report.dropped`, so that later steps can add notes. */
  readonly dropped: string[];
  readonly report: RuleReport;
}

function weigh(
  ruleOutcome: RuleOutcome,
  event: HookEvent,
  contract: EventContract,
  rewrites: Rewrites | undefined,
  second: SecondLook | undefined,
): Weighed {
  const { rule, outcome, look } = ruleOutcome;
  const dropped =
    outcome.status === "failed" ? [] : [...(outcome.dropped ?? []), ...(rewrites?.notesOn(ruleOutcome) ?? [])];
  const judged =
    look === "second" ? tighten(outcome, rule, second, dropped) : stillPermits(outcome, rule, second, dropped);
  const report = {
    rule: rule.name,
    type: rule.handler.type === "broken" ? rule.handler.declaredType : rule.handler.type,
    mode: rule.mode,
    status: judged.status,
    outcome: classifyOutcome(judged, null),
    decision: null,
    reason: null,
    failure: null,
    onFailure: null,
    dropped,
    look,
    receipt: judged.receipt,
    ...exceptedBy(outcome),
  } as const;

  if (judged.status === "failed") {
    // The event does not wait for an async rule, so an async rule's failure decides nothing.
    const meaning = rule.async ? "continue" : meaningOfFailure(judged.failure.kind, rule, contract);
    const counts = failureCounts(judged.failure, meaning, rule, contract);
    return {
      rule,
      counts,
      dropped,
      report: {
        ...report,
        outcome: classifyOutcome(judged, meaning),
        decision: counts.decision ?? null,
        reason: counts.reason ?? null,
        failure: { ...judged.failure, message: cleanText(judged.failure.message) },
        onFailure: judged.failure.kind === "cancelled" ? null : meaning,
      },
    };
  }
  const answer = judged.status === "decided" ? asAdvice(labelReply(judged.reply, rule), rule, event, dropped) : {};
  const said = rewrites?.hasLostOutput(ruleOutcome) === true ? withoutWordsOnOutput(answer, dropped) : answer;
  const counts = rule.async ? onlyTexts(said, dropped) : said;
  return { rule, counts, dropped, report: { ...report, decision: said.decision ?? null, reason: said.reason ?? null } };
}

function exceptedBy(outcome: HookOutcome): Pick<RuleReport, "excepted"> {
  const { excepted } = outcome.status === "abstained" ? outcome : {};
  if (excepted === undefined) return {};
  const { reason, expires, place = null } = excepted;
  return { excepted: { reason, expires, place } };
}

/**
 * Keeps an "allow" of the preempt lane as advice only, because the default lane is asked in any case. If the caller
 * dispatches only the preempt lane, the verdict keeps the "allow".
 */
function asAdvice(reply: Reply, rule: Rule, { name, dialect, lane }: HookEvent, dropped: string[]): Reply {
  if (reply.decision !== "allow" || rule.lane !== "preempt" || lane !== undefined || !hasLanes(name, dialect))
    return reply;
  dropped.push('decision "allow": a permission of the preempt lane is advice');
  const { decision: _, reason: __, ...others } = reply;
  return others;
}

/** Reply fields that describe the output of the same reply. */
const ABOUT_OUTPUT: readonly string[] = ["classifierContext"];

/** Drops fields that describe the rule's own output, because another rule's output is used. */
function withoutWordsOnOutput(reply: Reply, dropped: string[]): Reply {
  const { specific = {} } = reply;
  const lost = ABOUT_OUTPUT.filter((key) => Object.hasOwn(specific, key));
  if (lost.length === 0) return reply;
  for (const key of lost) dropped.push(`${key}: the output that it describes does not count`);
  return { ...reply, specific: Object.fromEntries(Object.entries(specific).filter(([key]) => !lost.includes(key))) };
}

/** Keeps the texts of an async rule. An async rule cannot decide or rewrite. */
function onlyTexts({ additionalContext, systemMessage, ...others }: Reply, dropped: string[]): Reply {
  for (const field of Object.keys(others)) dropped.push(`${field}: the rule is async`);
  return {
    ...(additionalContext === undefined ? {} : { additionalContext }),
    ...(systemMessage === undefined ? {} : { systemMessage }),
  };
}

function failureCounts(failure: Failure, meaning: FailureMeaning, rule: Rule, contract: EventContract): Reply {
  const where = rule.place === undefined ? "" : ` (${formatPlace(rule.place)})`;
  const text = `${cleanLine(rule.name)}${where}: ${cleanText(failureLine(failure))}`;
  // A cancelled event is neither denied nor permitted; `verdict.cancelled` reports the cancellation.
  if (failure.kind === "cancelled") return {};
  if (meaning === "continue" && rule.onFailure === "ignore") return {};
  // The agents' pages treat an agent hook that ran out of turns as if it had not run.
  if (meaning === "continue" && failure.kind === "turns" && rule.compat === "faithful") return {};
  if (meaning === "continue") {
    // At `Stop` a refusal would make the agent go on, so a failed rule lets the agent stop.
    const result = contract.blockMeansGoOn ? "nothing keeps the agent going" : "the agent goes on";
    return { systemMessage: `hookbox: ${text}; ${result}` };
  }
  const decision = denialWord(contract);
  return { ...(decision === undefined ? {} : { decision }), reason: `${text}; the gate stays shut` };
}

/** A rule that stops the agent also refuses the current action, because some agents read only the decision. */
function decide(counted: readonly Reply[], goesOn: boolean, contract: EventContract): Decision | "none" {
  const said = PRECEDENCE.find((decision) => counted.some((reply) => reply.decision === decision)) ?? "none";
  const refuses = said === "deny" || said === "block";
  if (goesOn || refuses || contract.kind === "observer" || contract.blockMeansGoOn) return said;
  return denialWord(contract) ?? said;
}

/** Joins the texts with newlines in a single pass, because `joined` runs for every field of every verdict. */
function joined(
  replies: readonly Reply[],
  textOf: (reply: Reply) => string | readonly string[] | undefined,
): string | null {
  let all: string | null = null;
  for (const reply of replies) {
    const said = textOf(reply);
    if (said === undefined) continue;
    for (const text of typeof said === "string" ? [said] : said) {
      if (text !== "") all = all === null ? text : `${all}\n${text}`;
    }
  }
  return all;
}

/** Sorts the most trusted rule last, so that its value wins where only one value can count. */
function mostTrustedLast(weighed: readonly Weighed[]): readonly Weighed[] {
  if (!weighed.some(({ rule }) => mayComeWithRepository(rule.layer))) return weighed;
  return [...weighed].sort((one, other) => trustOf(one.rule.layer) - trustOf(other.rule.layer));
}

/** Returns the first summary of the most trusted layer. A summary replaces the agent's own, so only one can count. */
function chosenSummary(weighed: readonly Weighed[]): string | undefined {
  const giving = weighed.filter(({ counts }) => counts.summary !== undefined && counts.summary !== "");
  const [first, ...others] = giving.sort((one, other) => trustOf(other.rule.layer) - trustOf(one.rule.layer));
  for (const { dropped, counts } of others) {
    if (counts.summary !== first?.counts.summary) dropped.push(`summary: that of "${first?.rule.name}" counts`);
  }
  return first?.counts.summary;
}

function merge(replies: readonly Reply[], fieldsOf: (reply: Reply) => JsonObject | undefined): JsonObject {
  let merged: Record<string, JsonValue> | undefined;
  for (const reply of replies) {
    const fields = fieldsOf(reply);
    if (fields === undefined) continue;
    merged ??= Object.create(null) as Record<string, JsonValue>;
    for (const [key, value] of Object.entries(fields)) merged[key] = value;
  }
  return { ...merged };
}

/** Fields whose lists are concatenated over all rules. */
const ADDED_UP: readonly string[] = ["instructionContext"];

function mergeFields(replies: readonly Reply[], lastWins: readonly Reply[]): JsonObject {
  const merged = merge(lastWins, (reply) => reply.specific);
  const lists = ADDED_UP.filter((key) => Object.hasOwn(merged, key)).flatMap((key) => {
    const items = replies.flatMap(({ specific }) => specific?.[key] ?? []);
    return items.length === 0 ? [] : [[key, items] as const];
  });
  return lists.length === 0 ? merged : { ...merged, ...Object.fromEntries(lists) };
}
