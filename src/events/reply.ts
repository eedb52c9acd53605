import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Decision, Failure, Reply } from "../outcome.ts";
import { cleanLine } from "../text.ts";
import type { EventContract } from "./contract.ts";
import { denialWord } from "./lookup.ts";
import { InvalidReply, MAX_QUOTED, readBoolean, readText, refuseUnknown } from "./reply-fields.ts";
import { readRewrites } from "./reply-rewrites.ts";

/**
 * The canonical reply: the JSON object that a command hook prints and a guard returns, in the form of Claude Code's
 * `HookJSONOutput`. The event's row decides which fields count. Other fields are dropped and listed. A value that
 * cannot be read makes the whole reply invalid, because the value could have been a denial.
 */
export type ReadReply =
  | { readonly ok: true; readonly reply: Reply; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

interface ReadReplyOptions {
  readonly eventName: string;
  readonly contract: EventContract;
  /** Whether unknown fields make the reply invalid. Hooks that were written for an agent may print unknown fields. */
  readonly strict: boolean;
  /** Whether `"decision": "allow"` is a permission, instead of `"decision": "approve"`. */
  readonly plainAllow?: boolean | undefined;
}

const TOP_LEVEL = new Set([
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "decision",
  "reason",
  "hookSpecificOutput",
  "terminalSequence",
]);

const SPECIFIC = new Set([
  "hookEventName",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "updatedToolOutput",
  "updatedMCPToolOutput",
  "updatedMessages",
  "summary",
  "metadata",
  "additionalContext",
  "decision",
]);

const BEHAVIOUR = new Set(["behavior", "message", "updatedInput"]);

/** Decisions, weakest first. */
const STRENGTH: readonly Decision[] = ["allow", "ask", "defer", "block", "deny"];

const SPELLINGS: Readonly<Record<string, Decision>> = {
  allow: "allow",
  approve: "allow",
  ask: "ask",
  defer: "defer",
  block: "block",
  deny: "deny",
};

export function readReply(json: JsonObject, options: ReadReplyOptions): ReadReply {
  try {
    return read(json, options);
  } catch (error) {
    if (!(error instanceof InvalidReply)) throw error;
    return { ok: false, failure: { kind: "invalid-output", message: cleanLine(error.message, MAX_QUOTED) } };
  }
}

function read(json: JsonObject, { eventName, contract, strict, plainAllow }: ReadReplyOptions): ReadReply {
  const ignored: string[] = [];
  const ignore = (what: string): void => void ignored.push(`${what}: ${eventName} does not honour it`);
  if (json["terminalSequence"] !== undefined) ignore("terminalSequence");
  refuseUnknown(json, TOP_LEVEL, [], "", strict, ignored);

  const specific = json["hookSpecificOutput"];
  if (specific !== undefined && !isJsonObject(specific)) throw new InvalidReply("hookSpecificOutput must be an object");
  const details: JsonObject = specific ?? {};
  const named = details["hookEventName"];
  if (specific !== undefined && named !== eventName && (strict || named !== undefined)) {
    throw new InvalidReply(
      `hookSpecificOutput.hookEventName must be "${eventName}"${named === undefined ? "" : `, not ${JSON.stringify(named)}`}`,
    );
  }
  refuseUnknown(details, SPECIFIC, contract.specific, "hookSpecificOutput.", strict, ignored);

  const reply: { -readonly [Key in keyof Reply]: Reply[Key] } = {};
  const behaviour = readBehaviour(details["decision"], contract, strict, ignored);
  // A refusal counts in every place. A permission counts only where the agent itself would read it. Claude Code ignores
  // a `hookSpecificOutput` without the event's name; the documentation of the generic pattern omits the name.
  const isAddressed = named !== undefined || plainAllow === true;
  const byBehaviour = contract.specific.includes("updatedPermissions");
  const inPlace = (word: Word, place: string, counts: boolean): Word => {
    if (word.decision !== "allow" || counts || !contract.verdicts.includes("allow")) return word;
    ignore(`${place} as a permission`);
    return { decision: undefined, reason: undefined };
  };
  const permission = "hookSpecificOutput.permissionDecision";
  const decided = strongest([
    inPlace(
      { decision: readWord(json["decision"], "decision"), reason: readText(json, "reason") },
      "decision",
      plainAllow === true ? json["decision"] === "allow" : json["decision"] === "approve" && !byBehaviour,
    ),
    inPlace(
      {
        decision: readWord(details["permissionDecision"], permission),
        reason: readText(details, "permissionDecisionReason", "hookSpecificOutput."),
      },
      permission,
      details["permissionDecision"] === "allow" && !byBehaviour && isAddressed,
    ),
    inPlace(
      { decision: behaviour?.decision, reason: behaviour?.reason },
      "hookSpecificOutput.decision",
      byBehaviour && isAddressed,
    ),
    { decision: answersNo(details, contract) ? "block" : undefined, reason: undefined },
  ]);
  // The agent itself would reject a misspelt decision, so a permission in the other field does not count either.
  const isMisspelt =
    json["decision"] === (plainAllow === true ? "approve" : "allow") || details["permissionDecision"] === "approve";
  if (decided?.decision === "allow" && isMisspelt)
    ignore("a permission, because another permission in the reply is misspelt");
  else if (decided !== undefined) {
    const decision = honoured(decided.decision, contract);
    if (decision === undefined) ignore(`decision "${decided.decision}"`);
    else {
      reply.decision = decision;
      if (decided.reason !== undefined) reply.reason = decided.reason;
    }
  }

  const goesOn = readBoolean(json, "continue");
  const stopReason = readText(json, "stopReason");
  if (goesOn === false) {
    if (contract.verdicts.includes("continue:false")) {
      reply.continue = false;
      if (stopReason !== undefined) reply.stopReason = stopReason;
    } else ignore("continue: false");
  }

  const systemMessage = readText(json, "systemMessage");
  if (systemMessage !== undefined) reply.systemMessage = systemMessage;
  if (readBoolean(json, "suppressOutput") === true) reply.suppressOutput = true;

  const context = readText(details, "additionalContext", "hookSpecificOutput.");
  if (context !== undefined && context !== "") {
    if (contract.context === null) ignore("additionalContext");
    else reply.additionalContext = [context];
  }

  Object.assign(reply, readRewrites(details, behaviour?.updatedInput, contract, ignore));
  if (details["metadata"] !== undefined) {
    if (!isJsonObject(details["metadata"])) throw new InvalidReply("hookSpecificOutput.metadata must be an object");
    if (contract.metadata) reply.metadata = details["metadata"];
    else ignore("metadata");
  }

  if (contract.specific.length > 0) {
    const fields = pick({ ...details, ...behaviour?.specific }, contract.specific);
    if (fields !== undefined) reply.specific = fields;
  }
  return { ok: true, reply, ignored };
}

function readWord(value: JsonValue | undefined, field: string): Decision | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && Object.hasOwn(SPELLINGS, value)) return SPELLINGS[value];
  throw new InvalidReply(
    `${field} must be one of ${Object.keys(SPELLINGS).join(", ")}, not ${JSON.stringify(value).slice(0, 80)}`,
  );
}

interface Behaviour {
  readonly decision: Decision;
  readonly reason: string | undefined;
  readonly updatedInput: JsonValue | undefined;
  readonly specific: JsonObject;
}

/** Reads the form of `PermissionRequest`: `{behavior: "allow" | "deny", message?, updatedInput?, …}`. */
function readBehaviour(
  value: JsonValue | undefined,
  contract: EventContract,
  strict: boolean,
  ignored: string[],
): Behaviour | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new InvalidReply("hookSpecificOutput.decision must be an object");
  const behavior = value["behavior"];
  if (behavior !== "allow" && behavior !== "deny") {
    throw new InvalidReply('hookSpecificOutput.decision.behavior must be "allow" or "deny"');
  }
  refuseUnknown(value, BEHAVIOUR, contract.specific, "hookSpecificOutput.decision.", strict, ignored);
  const { behavior: _behavior, message: _message, updatedInput, ...specific } = value;
  return {
    decision: behavior,
    reason: readText(value, "message", "hookSpecificOutput.decision."),
    updatedInput,
    specific,
  };
}

/** Whether the reply answers an MCP server's question with "decline" or "cancel" in place of the user. */
function answersNo(details: JsonObject, contract: EventContract): boolean {
  return contract.specific.includes("action") && (details["action"] === "decline" || details["action"] === "cancel");
}

interface Word {
  readonly decision: Decision | undefined;
  readonly reason: string | undefined;
}

/** Returns the strongest decision of a reply that contradicts itself, so that an "approve" never cancels a "deny". */
function strongest(words: readonly Word[]): { decision: Decision; reason: string | undefined } | undefined {
  let best: { decision: Decision; reason: string | undefined } | undefined;
  for (const { decision, reason } of words) {
    if (decision === undefined) continue;
    if (best === undefined || STRENGTH.indexOf(decision) > STRENGTH.indexOf(best.decision)) {
      const shared = best !== undefined && isNo(best.decision) && isNo(decision) ? best.reason : undefined;
      best = { decision, reason: reason ?? shared };
    }
  }
  return best;
}

function isNo(decision: Decision): boolean {
  return decision === "deny" || decision === "block";
}

/**
 * Returns the event's own word for a decision. At a gate that cannot ask the user, `ask` and `defer` become a denial,
 * because dropping them would allow the action. If a denial makes the agent go on, both are dropped.
 */
function honoured(decision: Decision, contract: EventContract): Decision | undefined {
  if (contract.verdicts.includes(decision)) return decision;
  if (decision === "allow") return undefined;
  if (decision === "defer" && contract.verdicts.includes("ask")) return "ask";
  const doubt = decision === "ask" || decision === "defer";
  return doubt && (contract.kind === "observer" || contract.blockMeansGoOn) ? undefined : denialWord(contract);
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const entries = keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key] as JsonValue] as const] : []));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
