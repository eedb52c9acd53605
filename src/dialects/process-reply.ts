import { stripVTControlCharacters } from "node:util";
import { type DecodedReply, exitFailure, failedReply, type ProcessResult } from "../codec.ts";
import type { HookEvent } from "../event.ts";
import { contractOfEvent, denialWord } from "../events/lookup.ts";
import { readReply } from "../events/reply.ts";
import { type JsonObject, parseJsonObject } from "../json.ts";
import type { Reply } from "../outcome.ts";
import { readStrictText } from "../strict-json.ts";
import { isScriptMissing } from "./missing-script.ts";

/** How a family of agents reads the output of a command hook. */
interface ReplyStyle {
  /** Whether unknown fields make the output invalid. */
  readonly strict: boolean;
  /** Whether `"decision": "allow"` grants permission. */
  readonly plainAllow?: boolean;
  /** Whether standard output counts as JSON rather than as text. */
  looksLikeJson(trimmed: string): boolean;
  /** What valid JSON means with an exit code other than 0 and 2: it decides, or only its refusals count. */
  readonly jsonAtOtherExit: "decides" | "refuses";
  /** Events at which exit code 2 does not refuse. */
  readonly exit2Ignored: readonly string[];
}

/**
 * Decodes a result by Claude Code's exit-code contract (2.1.295): 0 is success, 2 blocks, and JSON on stdout adds
 * details.
 */
export function decodeProcessReply(result: ProcessResult, event: HookEvent, style: ReplyStyle): DecodedReply {
  const contract = contractOfEvent(event);
  const trimmed = result.stdout.trim();
  const json = style.looksLikeJson(trimmed) ? parseObject(trimmed, style.strict) : undefined;
  const read =
    json === undefined
      ? undefined
      : readReply(json, {
          eventName: event.name,
          contract,
          strict: style.strict,
          plainAllow: style.plainAllow,
        });

  if (contract.blockMeansGoOn && isScriptMissing(result)) return exitFailure(result);
  if (result.exitCode === 2 && !style.exit2Ignored.includes(event.name)) {
    return { ok: true, reply: refusal(result, event, read?.ok === true ? read.reply : {}) };
  }
  if (result.exitCode !== 0) {
    const refuses = read?.ok === true && isRefusal(read.reply);
    // A hook that exits with 2 and allows contradicts itself, even at events where 2 has no meaning.
    const decides = style.jsonAtOtherExit === "decides" && result.exitCode !== 2;
    if (read?.ok === true && (refuses || decides)) return read;
    return exitFailure(result);
  }
  if (read !== undefined) return read;
  if (style.looksLikeJson(trimmed) && !isUnrelatedJsonLines(trimmed)) {
    const message = "output looks like JSON and is not one well-formed object";
    return failedReply({ kind: "invalid-output", message });
  }
  if (trimmed === "") return { ok: true, reply: {} };
  if (event.name === "WorktreeCreate")
    return { ok: true, reply: { specific: { worktreePath: worktreePath(trimmed) } } };
  return { ok: true, reply: contract.plainTextIsContext ? { additionalContext: [trimmed] } : {} };
}

/**
 * Returns the new folder of `WorktreeCreate`, an event without a decision: the last line of stdout. The failure policy
 * handles a failing exit code.
 */
function worktreePath(stdout: string): string {
  return stripVTControlCharacters(stdout).trim().split("\n").at(-1)?.trim() ?? "";
}

function parseObject(text: string, strict = false): JsonObject | undefined {
  if (strict) {
    const json = readStrictText(text);
    return json.ok ? json.value : undefined;
  }
  return parseJsonObject(text);
}

/** Returns the refusal of exit code 2, whatever the output says. The JSON may give the reason and add text. */
function refusal(result: ProcessResult, event: HookEvent, said: Reply): Reply {
  const stderr = result.stderr.trim();
  const decision = denialWord(contractOfEvent(event));
  const { updatedInput: _, specific: __, ...rest } = said;
  if (decision === undefined) return { ...rest, ...(stderr === "" ? {} : { systemMessage: stderr }) };
  const reason = isRefusal(said) && said.reason !== undefined ? said.reason : stderr;
  return { ...rest, decision, reason: reason === "" ? "blocked with exit code 2 and no reason" : reason };
}

function isRefusal(reply: Reply): boolean {
  return (
    reply.decision === "deny" || reply.decision === "block" || reply.decision === "ask" || reply.continue === false
  );
}

const REPLY_FIELDS = [
  "continue",
  "decision",
  "reason",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "terminalSequence",
  "hookSpecificOutput",
  "permissionDecision",
];

/** Whether the text is one JSON object per line, which is a log and not a reply. */
function isUnrelatedJsonLines(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2) return false;
  return lines.every((line) => {
    const object = parseObject(line);
    return object !== undefined && !REPLY_FIELDS.some((field) => Object.hasOwn(object, field));
  });
}
