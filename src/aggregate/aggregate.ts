import { isDeepStrictEqual } from "node:util";
import { formatPlace, type Problem } from "../errors.ts";
import type { HookEvent, JsonObject, JsonValue } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOfEvent, denialWord } from "../events/lookup.ts";
import type { Decision, Failure, HookOutcome, Reply } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { cleanLine, cleanText } from "../text.ts";
import type { RuleReport, Verdict } from "../verdict.ts";
import { type FailureMeaning, meaningOfFailure } from "./failure-policy.ts";
import { outcomeWord } from "./outcome-word.ts";

/** One rule's outcome, and whether it judged the original event or the one that a rewrite made. */
export interface Judgement {
  readonly rule: Rule;
  readonly outcome: HookOutcome;
  readonly look: "first" | "second";
}

/** Strongest first. `deny` and `block` are one event's word for "no" each, so they never meet. */
const PRECEDENCE: readonly Decision[] = ["deny", "block", "defer", "ask", "allow"];

/**
 * All outcomes -> one verdict. Pure: the same judgements in the same order give the same verdict, however and
 * whenever the rules finished. `judgements` stand in verdict order (priority, then configuration order), those of the
 * second look behind all of the first.
 */
export function aggregate(
  event: HookEvent,
  judgements: readonly Judgement[],
  problems: readonly Problem[] = [],
): Verdict {
  const contract = contractOfEvent(event);
  const final = rewrittenInput(event, judgements);
  const permitted = final === undefined ? undefined : permittedRewrite(judgements, final);
  const weighed = judgements.map((judgement) => weigh(judgement, contract, final, permitted));
  const counted = weighed.filter((one) => one.rule.mode === "enforce").map((one) => one.counts);

  const goesOn = !counted.some((reply) => reply.continue === false);
  const cancelled = judgements.some(
    ({ outcome }) => outcome.status === "failed" && outcome.failure.kind === "cancelled",
  );
  const said = decide(counted, goesOn, contract);
  // With rules that were never heard, the others' permission is not one.
  const decision = cancelled && said === "allow" ? "none" : said;
  // A refused or deferred call runs with no input at all, so no rewrite of it may survive.
  const stopped = decision === "deny" || decision === "block" || decision === "defer";

  return {
    event: event.name,
    decision,
    continue: goesOn,
    stopReason: goesOn ? null : join(counted.map((reply) => (reply.continue === false ? reply.stopReason : undefined))),
    reason:
      decision === "none"
        ? null
        : // A refusal that nobody said comes from whoever stopped the agent.
          (join(counted.map((reply) => (reply.decision === decision ? reply.reason : undefined))) ??
          join(counted.map((reply) => reply.stopReason))),
    additionalContext: join(counted.flatMap((reply) => reply.additionalContext ?? [])),
    systemMessage: join(counted.map((reply) => reply.systemMessage)),
    suppressOutput: counted.some((reply) => reply.suppressOutput === true),
    updatedInput: stopped ? null : (final ?? lastOf(counted, "updatedInput") ?? null),
    updatedOutput: lastOf(counted, "updatedOutput") ?? null,
    updatedMessages: lastOf(counted, "updatedMessages") ?? null,
    summary: counted.find((reply) => reply.summary !== undefined)?.summary ?? null,
    followUp: join(counted.map((reply) => reply.followUp)),
    metadata: merge(counted.map((reply) => reply.metadata)),
    approval: lastOf(counted, "approval") ?? null,
    specific: merge(counted.map((reply) => reply.specific)),
    cancelled,
    rules: weighed.map((one) => one.report),
    problems,
  };
}

/**
 * The `tool_input` after all rewrites of the first look, or `undefined` where none changed it. A rule that hands the
 * input back as it came has not rewritten it, and does not undo another's rewrite.
 */
export function rewrittenInput(event: HookEvent, judgements: readonly Judgement[]): JsonObject | undefined {
  const original = event.payload["tool_input"];
  return judgements.map(rewriteOf).findLast((input) => input !== undefined && !isDeepStrictEqual(input, original));
}

function rewriteOf({ rule, outcome, look }: Judgement): JsonObject | undefined {
  const counts = look === "first" && rule.mode === "enforce" && outcome.status === "decided";
  return counts ? outcome.reply.updatedInput : undefined;
}

/** Whose permission holds for a rewritten input: the rewriting rule's own, and theirs who gave it again. */
function permittedRewrite(judgements: readonly Judgement[], final: JsonObject): ReadonlySet<Rule> {
  const permits = judgements.filter((judgement) => {
    const { outcome, look } = judgement;
    if (look === "first") return isDeepStrictEqual(rewriteOf(judgement), final);
    return outcome.status === "decided" && outcome.reply.decision === "allow";
  });
  return new Set(permits.map(({ rule }) => rule));
}

interface Weighed {
  readonly rule: Rule;
  /** What the rule adds to the verdict. */
  readonly counts: Reply;
  readonly report: RuleReport;
}

function weigh(
  { rule, outcome, look }: Judgement,
  contract: EventContract,
  final: JsonObject | undefined,
  permitted: ReadonlySet<Rule> | undefined,
): Weighed {
  const dropped = outcome.status === "failed" ? [] : [...(outcome.dropped ?? [])];
  const judged = look === "second" ? tighten(outcome, final, dropped) : stillPermits(outcome, rule, permitted, dropped);
  const report = {
    rule: rule.name,
    type: rule.handler.type === "broken" ? rule.handler.declaredType : rule.handler.type,
    mode: rule.mode,
    status: judged.status,
    outcome: outcomeWord(judged, null),
    decision: null,
    reason: null,
    failure: null,
    onFailure: null,
    dropped,
    look,
    receipt: judged.receipt,
  } as const;

  if (judged.status === "failed") {
    const meaning = meaningOfFailure(judged.failure.kind, rule, contract);
    const counts = failureCounts(judged.failure, meaning, rule, contract);
    return {
      rule,
      counts,
      report: {
        ...report,
        outcome: outcomeWord(judged, meaning),
        decision: counts.decision ?? null,
        reason: counts.reason ?? null,
        failure: { ...judged.failure, message: cleanText(judged.failure.message) },
        onFailure: judged.failure.kind === "cancelled" ? null : meaning,
      },
    };
  }
  const counts = judged.status === "decided" ? labelled(judged.reply, rule) : {};
  return { rule, counts, report: { ...report, decision: counts.decision ?? null, reason: counts.reason ?? null } };
}

/** The second look exists to catch what a rewrite carried past a rule: it can say no, and nothing else. */
function tighten(outcome: HookOutcome, final: JsonObject | undefined, dropped: string[]): HookOutcome {
  if (outcome.status !== "decided") return outcome;
  const { reply, receipt } = outcome;
  if (reply.updatedInput !== undefined && !isDeepStrictEqual(reply.updatedInput, final)) {
    return {
      status: "failed",
      failure: {
        kind: "invalid-output",
        message: "rewrote an input that was already rewritten; the second look may only refuse",
      },
      receipt,
    };
  }
  const { decision, reason, continue: goesOn, stopReason, updatedInput: _, ...others } = reply;
  if (decision === "allow") dropped.push('decision "allow": the second look may only refuse');
  for (const field of Object.keys(others)) dropped.push(`${field}: the second look may only refuse`);
  const kept: Reply = {
    ...(decision === undefined || decision === "allow"
      ? {}
      : { decision, ...(reason === undefined ? {} : { reason }) }),
    ...(goesOn === false ? { continue: false, ...(stopReason === undefined ? {} : { stopReason }) } : {}),
  };
  return Object.keys(kept).length === 0
    ? { status: "abstained", receipt }
    : { status: "decided", reply: kept, receipt };
}

/** What was said of the original input is no permission for another. */
function stillPermits(
  outcome: HookOutcome,
  rule: Rule,
  permitted: ReadonlySet<Rule> | undefined,
  dropped: string[],
): HookOutcome {
  if (outcome.status !== "decided" || outcome.reply.decision !== "allow") return outcome;
  if (permitted === undefined || permitted.has(rule)) return outcome;
  dropped.push('decision "allow": given for the input before it was rewritten');
  const { decision: _, reason: __, ...reply } = outcome.reply;
  return { ...outcome, reply };
}

function failureCounts(failure: Failure, meaning: FailureMeaning, rule: Rule, contract: EventContract): Reply {
  const where = rule.place === undefined ? "" : ` (${formatPlace(rule.place)})`;
  const text = `${cleanLine(rule.name)}${where}: ${failure.kind}: ${cleanText(failure.message)}`;
  // The caller gave up on the whole event. That is neither a denial nor a permission; `cancelled` says so.
  if (failure.kind === "cancelled") return {};
  if (meaning === "continue" && rule.onFailure === "ignore") return {};
  if (meaning === "continue") return { systemMessage: `hookbox: ${text}; the agent goes on` };
  const decision = denialWord(contract);
  return { ...(decision === undefined ? {} : { decision }), reason: `${text}; the gate stays shut` };
}

/** Whoever reads a reason must see which rule speaks. Other text of a guard is marked as a guest's words too. */
function labelled(reply: Reply, rule: Rule): Reply {
  const name = cleanLine(rule.name);
  const guest = rule.handler.type === "wasm";
  // A line of a guest's must not pass for another rule's: only labels stand at the start of one.
  const label = (text: string): string =>
    `${name}: ${guest ? cleanText(text).replaceAll("\n", "\n  ") : cleanText(text)}`;
  const { reason, systemMessage, additionalContext, stopReason, summary, followUp, specific, ...rest } = reply;
  return {
    ...rest,
    ...(reply.decision === undefined ? {} : { reason: label(reason || `says ${reply.decision}`) }),
    ...(reply.continue === false ? { stopReason: label(stopReason || "stops the agent") } : {}),
    ...(systemMessage === undefined ? {} : { systemMessage: guest ? label(systemMessage) : cleanText(systemMessage) }),
    ...(additionalContext === undefined
      ? {}
      : { additionalContext: additionalContext.map((text) => (guest ? label(text) : cleanText(text))) }),
    ...(summary === undefined ? {} : { summary: cleanText(summary) }),
    ...(followUp === undefined ? {} : { followUp: cleanText(followUp) }),
    ...(specific === undefined ? {} : { specific: cleanFields(specific) }),
  };
}

/** The texts among an event's own fields; what is no text is data, and passed on as it is. */
function cleanFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? cleanText(value) : value]),
  );
}

/** A rule that stops the agent also refuses the action at hand, should the agent only read decisions. */
function decide(counted: readonly Reply[], goesOn: boolean, contract: EventContract): Decision | "none" {
  const said = PRECEDENCE.find((decision) => counted.some((reply) => reply.decision === decision)) ?? "none";
  const refuses = said === "deny" || said === "block";
  if (goesOn || refuses || contract.kind === "observer" || contract.blockMeansGoOn) return said;
  return denialWord(contract) ?? said;
}

function join(texts: readonly (string | undefined)[]): string | null {
  const present = texts.filter((text) => text !== undefined && text !== "");
  return present.length === 0 ? null : present.join("\n");
}

function lastOf<Key extends keyof Reply>(replies: readonly Reply[], key: Key): Reply[Key] | undefined {
  return replies.findLast((reply) => reply[key] !== undefined)?.[key];
}

function merge(objects: readonly (JsonObject | undefined)[]): JsonObject {
  const merged: Record<string, JsonValue> = Object.create(null);
  for (const object of objects) {
    for (const [key, value] of Object.entries(object ?? {})) merged[key] = value;
  }
  return { ...merged };
}
