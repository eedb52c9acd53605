import { isJsonObject, type JsonObject, type JsonValue } from "../event.ts";
import type { Decision, Failure, Reply } from "../outcome.ts";
import type { EventContract } from "./contract.ts";
import { denialWord } from "./lookup.ts";

/**
 * The canonical reply: the JSON object that a command hook prints and that a guard returns, in Claude Code's shape
 * (`HookJSONOutput` of its agent SDK). Reading it is table-driven: what the event's row does not honour is dropped
 * and named, and a value that cannot be understood makes the whole reply invalid. An unread "deny" would be a hole.
 */
export type ReadReply =
  | { readonly ok: true; readonly reply: Reply; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

export interface ReadReplyOptions {
  readonly eventName: string;
  readonly contract: EventContract;
  /** Refuse fields that nobody defines. Foreign hooks may print more than we know; our own have no excuse. */
  readonly strict: boolean;
}

class InvalidReply extends Error {}

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
  "additionalContext",
  "decision",
]);

/** Weakest first. */
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
    return { ok: false, failure: { kind: "invalid-output", message: error.message } };
  }
}

function read(json: JsonObject, { eventName, contract, strict }: ReadReplyOptions): ReadReply {
  const ignored: string[] = [];
  const ignore = (what: string): void => void ignored.push(`${what}: ${eventName} does not honour it`);
  refuseUnknown(json, TOP_LEVEL, "", strict, ignored);

  const specific = json["hookSpecificOutput"];
  if (specific !== undefined && !isJsonObject(specific)) throw new InvalidReply("hookSpecificOutput must be an object");
  const details: JsonObject = specific ?? {};
  const named = details["hookEventName"];
  if (specific !== undefined && named !== eventName && (strict || named !== undefined)) {
    throw new InvalidReply(
      `hookSpecificOutput.hookEventName must be "${eventName}"${named === undefined ? "" : `, not ${JSON.stringify(named)}`}`,
    );
  }
  refuseUnknown(details, new Set([...SPECIFIC, ...contract.specific]), "hookSpecificOutput.", strict, ignored);

  const reply: { -readonly [Key in keyof Reply]: Reply[Key] } = {};
  const behaviour = readBehaviour(details["decision"]);
  const decided = strongest([
    { decision: readWord(json["decision"], "decision"), reason: readText(json, "reason") },
    {
      decision: readWord(details["permissionDecision"], "hookSpecificOutput.permissionDecision"),
      reason: readText(details, "permissionDecisionReason", "hookSpecificOutput."),
    },
    { decision: behaviour?.decision, reason: behaviour?.reason },
  ]);
  if (decided !== undefined) {
    const decision = honoured(decided.decision, contract);
    if (decision === undefined) ignore(`decision "${decided.decision}"`);
    else {
      reply.decision = decision;
      if (decided.reason !== undefined) reply.reason = decided.reason;
    }
  }

  const goesOn = readBoolean(json, "continue");
  if (goesOn === false) {
    if (contract.verdicts.includes("continue:false")) {
      reply.continue = false;
      const stopReason = readText(json, "stopReason");
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

  const updatedInput = details["updatedInput"] ?? behaviour?.updatedInput;
  if (updatedInput !== undefined) {
    if (!isJsonObject(updatedInput)) throw new InvalidReply("hookSpecificOutput.updatedInput must be an object");
    if (contract.rewrites === "input") reply.updatedInput = updatedInput;
    else ignore("updatedInput");
  }
  const updatedOutput = details["updatedToolOutput"] ?? details["updatedMCPToolOutput"];
  if (updatedOutput !== undefined) {
    if (contract.rewrites === "output") reply.updatedOutput = updatedOutput;
    else ignore("updatedToolOutput");
  }

  const fields = pick({ ...details, ...behaviour?.specific }, contract.specific);
  if (fields !== undefined) reply.specific = fields;
  return { ok: true, reply, ignored };
}

function refuseUnknown(
  object: JsonObject,
  known: ReadonlySet<string>,
  prefix: string,
  strict: boolean,
  ignored: string[],
): void {
  for (const key of Object.keys(object)) {
    if (known.has(key)) continue;
    if (strict) throw new InvalidReply(`unknown field ${prefix}${key}`);
    ignored.push(`${prefix}${key}: unknown field`);
  }
}

function readWord(value: JsonValue | undefined, field: string): Decision | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && Object.hasOwn(SPELLINGS, value)) return SPELLINGS[value];
  throw new InvalidReply(
    `${field} must be one of ${Object.keys(SPELLINGS).join(", ")}, not ${JSON.stringify(value).slice(0, 80)}`,
  );
}

function readText(object: JsonObject, key: string, prefix = ""): string | undefined {
  const value = object[key];
  if (value === undefined || typeof value === "string") return value;
  throw new InvalidReply(`${prefix}${key} must be a string`);
}

function readBoolean(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  if (value === undefined || typeof value === "boolean") return value;
  throw new InvalidReply(`${key} must be true or false`);
}

interface Behaviour {
  readonly decision: Decision;
  readonly reason: string | undefined;
  readonly updatedInput: JsonValue | undefined;
  readonly specific: JsonObject;
}

/** `PermissionRequest`'s own form: `{behavior: "allow" | "deny", message?, updatedInput?, …}`. */
function readBehaviour(value: JsonValue | undefined): Behaviour | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new InvalidReply("hookSpecificOutput.decision must be an object");
  const behavior = value["behavior"];
  if (behavior !== "allow" && behavior !== "deny") {
    throw new InvalidReply('hookSpecificOutput.decision.behavior must be "allow" or "deny"');
  }
  const { behavior: _behavior, message: _message, updatedInput, ...specific } = value;
  return {
    decision: behavior,
    reason: readText(value, "message", "hookSpecificOutput.decision."),
    updatedInput,
    specific,
  };
}

interface Word {
  readonly decision: Decision | undefined;
  readonly reason: string | undefined;
}

/** A reply that contradicts itself means its strongest word, so that a stray "approve" never undoes a "deny". */
function strongest(words: readonly Word[]): { decision: Decision; reason: string | undefined } | undefined {
  let best: { decision: Decision; reason: string | undefined } | undefined;
  for (const { decision, reason } of words) {
    if (decision === undefined) continue;
    if (best === undefined || STRENGTH.indexOf(decision) > STRENGTH.indexOf(best.decision)) best = { decision, reason };
  }
  return best;
}

/**
 * The event's own word for a decision. A doubt (`ask`, `defer`) at a gate that cannot ask anybody becomes its "no":
 * dropping it would let the action go unasked.
 */
function honoured(decision: Decision, contract: EventContract): Decision | undefined {
  if (contract.verdicts.includes(decision)) return decision;
  if (decision === "allow") return undefined;
  if (decision === "defer" && contract.verdicts.includes("ask")) return "ask";
  const doubt = decision === "ask" || decision === "defer";
  return doubt && contract.kind === "observer" ? undefined : denialWord(contract);
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const entries = keys.flatMap((key) => (Object.hasOwn(object, key) ? [[key, object[key] as JsonValue] as const] : []));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
