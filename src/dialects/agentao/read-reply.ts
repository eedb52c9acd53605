import { type DecodedReply, failedReply, type ProcessResult, type ReplyOptions } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import type { JsonValue } from "../../json.ts";
import type { Reply } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import { isScriptMissing } from "../missing-script.ts";
import { type AnswerFields, attachmentsIn, inWords, readAnswerFields } from "./answer-fields.ts";

/**
 * Reads the output of a hook. Agentao reads JSON whatever the exit code is. An exit code alone decides nothing except
 * at `Stop`, where 2 asks for another turn. By default exit code 2 also refuses at a gate, as in Claude Code's format,
 * which these files share. Otherwise the action would continue.
 */

const STOPPED = "Hook prevented continuation";
const FORCED = "A hook asked the agent to continue";

type Draft = { -readonly [Key in keyof Reply]: Reply[Key] };

export function readProcessReply(result: ProcessResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  const { exitCode, stderr } = result;
  const isFaithful = options?.compat === "faithful";
  const text = result.stdout.trim();
  const isGate = contractOfEvent(event).kind === "gate";
  const refusesByCode = exitCode === 2 && isGate && (event.name === "Stop" || !isFaithful);
  if (event.name === "Stop" && refusesByCode) {
    if (!isFaithful && isScriptMissing(result)) return exitFailure(result);
    const said = stderr.trim() === "" ? FORCED : stderr.trim();
    return { ok: true, reply: goingOn(said, said) };
  }
  const read: DecodedReply = text === "" ? { ok: true, reply: {} } : readText(text, event, isFaithful);
  if (refusesByCode) return refusal(read, event, stderr);
  if (exitCode !== 0 && (isSilent(read) || (options?.failsClosed === true && !refuses(read))))
    return exitFailure(result);
  return read;
}

/** Whether the output refuses or asks. If the rule denies on failure, a refusal counts with any exit code. */
function refuses(read: DecodedReply): boolean {
  return read.ok && (read.reply.continue === false || read.reply.decision !== undefined);
}

/** Whether the output sets nothing. With a failing exit code, an empty output is not an answer. */
function isSilent(read: DecodedReply): boolean {
  return read.ok && Object.keys(read.reply).length === 0;
}

/** Reads the text of a hook's output or of a server's response. */
export function readText(text: string, event: HookEvent, isFaithful: boolean): DecodedReply {
  const takesText = contractOfEvent(event).plainTextIsContext;
  const asText = (): DecodedReply => ({ ok: true, reply: takesText ? { additionalContext: [text] } : {} });
  const json = parsed(text);
  if (json === undefined) {
    if (isFaithful || !text.startsWith("{")) return asText();
    return failedReply({ kind: "invalid-output", message: "output looks like JSON and is not one well-formed object" });
  }
  const values = attachmentsIn(json);
  if (values === undefined) return asText();
  return readReply(readAnswerFields(values, { nullIsNoError: isFaithful }), event, isFaithful);
}

function readReply(said: AnswerFields, event: HookEvent, isFaithful: boolean): DecodedReply {
  const ignored: string[] = [];
  const contract = contractOfEvent(event);
  const reply: Draft = {};
  const ignore = (what: string): void => void ignored.push(`${what}: ${event.name} does not honour it`);
  if (event.name === "Stop") Object.assign(reply, atStop(said));
  else {
    const refusal = refusalIn(said, isFaithful);
    if (refusal instanceof BadWord) return failedReply({ kind: "invalid-output", message: refusal.message });
    if (refusal.decision === "deny") {
      const word = denialWord(contract);
      // Agentao's documentation raises an error at any event. hookbox stops nothing here.
      if (word === undefined) {
        ignore("blockingError");
        reply.specific = { blockingError: refusal.reason ?? "" };
      } else Object.assign(reply, { ...refusal, decision: word });
    } else if (refusal.decision === "ask") {
      if (contract.verdicts.includes("ask")) Object.assign(reply, refusal);
      else if (denialWord(contract) !== undefined && contract.kind === "gate")
        Object.assign(reply, { ...refusal, decision: denialWord(contract) });
      else ignore('permission "ask"');
    } else if (refusal.decision === "allow") ignore('permission "allow"');
    if (refusal.decision !== "deny" && (said.prevents || said.ends)) {
      if (contract.verdicts.includes("continue:false"))
        Object.assign(reply, { continue: false, stopReason: said.stopReason ?? STOPPED });
      else {
        ignore("preventContinuation");
        reply.specific = { ...reply.specific, stopReason: said.stopReason ?? STOPPED };
      }
    }
  }
  if (said.contexts.length > 0) {
    if (contract.context === null) ignore("additionalContext");
    else reply.additionalContext = said.contexts;
  }
  if (said.systemMessage !== undefined) reply.systemMessage = said.systemMessage;
  if (said.suppressOutput) reply.suppressOutput = true;
  return { ok: true, reply, ...(ignored.length === 0 ? {} : { ignored }) };
}

/** Reads an answer at `Stop`: the agent takes another turn, unless the output ends the turn or has an error. */
function atStop(said: AnswerFields): Reply {
  const { blockingError, stopReason, reason, followUp } = said;
  const stop = stopReason === undefined ? {} : { stopReason };
  if (blockingError !== undefined)
    return { continue: false, stopReason: blockingError, specific: { ...stop, blockingError } };
  const blocks = said.decisions.includes("block") && reason !== undefined;
  if (said.ends || !(blocks || said.forcesContinue || said.prevents)) {
    const why = stopReason ?? (blocks ? reason : undefined);
    return why === undefined ? {} : { specific: { stopReason: why } };
  }
  const why = stopReason ?? reason ?? (said.prevents ? FORCED : undefined);
  return goingOn(followUp ?? (blocks ? reason : undefined) ?? stopReason ?? FORCED, why);
}

function goingOn(followUp: string, stopReason: string | undefined): Reply {
  const specific = stopReason === undefined ? {} : { specific: { stopReason } };
  return { decision: "block", reason: followUp, followUp, ...specific };
}

class BadWord {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

interface Refusal {
  readonly decision?: "allow" | "ask" | "deny";
  readonly reason?: string;
}

const PERMISSIONS: Readonly<Record<string, Refusal["decision"]>> = {
  allow: "allow",
  approve: "allow",
  ask: "ask",
  defer: "ask",
  deny: "deny",
  block: "deny",
};

/** Returns the strongest of all decisions. An unknown word is invalid, because it may be a misspelt refusal. */
function refusalIn(said: AnswerFields, isFaithful: boolean): Refusal | BadWord {
  if (said.blockingError !== undefined) return { decision: "deny", reason: said.blockingError };
  const because = said.reason === undefined ? {} : { reason: said.reason };
  if (said.unreadable !== undefined && !isFaithful) return new BadWord(said.unreadable);
  const words: Refusal["decision"][] = [];
  for (const word of [...said.permissions, ...said.decisions]) {
    const known = typeof word === "string" && Object.hasOwn(PERMISSIONS, word) ? PERMISSIONS[word] : undefined;
    if (known !== undefined) words.push(known);
    else if (!isFaithful)
      return new BadWord(
        `${cleanLine(inWords(word), 80)} is not a decision; known: ${Object.keys(PERMISSIONS).join(", ")}`,
      );
  }
  const strongest = (["deny", "ask", "allow"] as const).find((word) => words.includes(word));
  return strongest === undefined ? {} : { decision: strongest, ...because };
}

function refusal(read: DecodedReply, event: HookEvent, stderr: string): DecodedReply {
  const said = read.ok ? read.reply : {};
  const { decision: _, reason: __, ...rest } = said;
  const refuses = said.decision === denialWord(contractOfEvent(event));
  const reason = (refuses ? said.reason : undefined) ?? said.stopReason ?? stderr.trim();
  const decision = denialWord(contractOfEvent(event)) as "deny" | "block";
  return {
    ok: true,
    reply: { ...rest, decision, reason: reason === "" ? "blocked with exit code 2 and no reason" : reason },
  };
}

function exitFailure({ exitCode, stderr }: ProcessResult): DecodedReply {
  const said = cleanLine(stderr.trim(), 500);
  const message = `ended with exit code ${exitCode}${said === "" ? "" : `: ${said}`}`;
  return failedReply({ kind: "exit", message, limit: 0, value: exitCode });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
