import type { HookEvent } from "../../event.ts";
import { type JudgeOptions, judgeReply, readJudgement } from "../../events/judge-answers.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { readReply } from "../../events/reply.ts";
import type { JsonObject } from "../../json.ts";
import type { ModelRequest } from "../../models/model.ts";
import type { Failure, Reply } from "../../outcome.ts";
import type { ModelAnswerForm } from "../../rule.ts";
import { cleanLine, cleanText } from "../../text.ts";
import { type AnswerShape, readAnswer, type ShapeRead } from "./read-answer.ts";

/** The three forms of a model's answer: the instruction for the model, and the reader of the answer. */

interface AnswerForm {
  /** The instruction in the system prompt. */
  readonly instruction: string;
  /** The schema of the answer. `undefined` for free text. */
  readonly schema: NonNullable<ModelRequest["schema"]> | undefined;
  /** Reads an answer. `payload` is the event that the model saw. */
  readonly reply: (text: string, payload: string, event: HookEvent, judgeOptions: JudgeOptions) => ReplyRead;
}

type ReplyRead =
  | { readonly ok: true; readonly reply: Reply; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

/** The maximum length of a model's text in the message of a failure. */
const MAX_QUOTED = 300;

const judgement: AnswerShape<Parameters<typeof judgeReply>[0]> = {
  key: "ok",
  read: (json) => {
    const read = readJudgement(json);
    return read.ok ? { ok: true, answer: read.judgement } : read;
  },
  isYes: ({ ok }) => ok,
  yes: "oktrue",
};

interface Permission {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: string | undefined;
}

const permission: AnswerShape<Permission> = {
  key: "decision",
  read: readPermission,
  isYes: (one) => one.decision === "allow",
  yes: "decisionallow",
};

/** Reads a permission. Only a well-formed "allow" counts. "ask" and "deny" count even if other fields are wrong. */
function readPermission(json: JsonObject): ShapeRead<Permission> {
  const decision = json["decision"];
  const reason = Object.hasOwn(json, "reason") ? json["reason"] : undefined;
  const text = typeof reason === "string" ? reason : undefined;
  if (decision === "ask" || decision === "deny") return { ok: true, answer: { decision, reason: text } };
  if (decision === undefined) return { ok: false, message: 'it has no "decision"' };
  if (decision !== "allow") {
    const quoted = JSON.stringify(decision).slice(0, 80);
    return { ok: false, message: `"decision" must be allow, ask or deny, not ${quoted}` };
  }
  const stranger = Object.keys(json).find((key) => key !== "decision" && key !== "reason");
  if (stranger !== undefined) {
    return { ok: false, message: `${JSON.stringify(stranger.slice(0, 80))} is no part of a decision` };
  }
  if (reason !== undefined && text === undefined) return { ok: false, message: '"reason" must be a text' };
  return { ok: true, answer: { decision, reason: text } };
}

const REASON = { type: "string", description: "One or two sentences, for the agent and its user." } as const;

export const ANSWER_FORMS: Readonly<Record<ModelAnswerForm, AnswerForm>> = {
  ok: {
    instruction:
      'Answer with one JSON object and nothing else: {"ok": true, "reason": "…"} if what is described may go on or meets the condition, {"ok": false, "reason": "…"} if it may not or does not. Add "impossible": true to a false one only if the condition can never be met.',
    schema: {
      name: "judgement",
      schema: {
        type: "object",
        properties: {
          ok: { type: "boolean" },
          reason: REASON,
          impossible: { type: "boolean", description: "Only with false: the condition can never be met." },
        },
        required: ["ok", "reason", "impossible"],
        additionalProperties: false,
      },
    },
    reply: (text, payload, event, judgeOptions) => {
      const read = readAnswer(text, judgement, payload);
      if (!read.ok) return invalid(read.message);
      return {
        ok: true,
        ...judgeReply(read.answer, contractOfEvent(event, judgeOptions.compat), event.name, judgeOptions),
      };
    },
  },
  decision: {
    instruction:
      'Answer with one JSON object and nothing else: {"decision": "allow" | "ask" | "deny", "reason": "…"}. "ask" leaves it to the user. If in doubt, ask or deny.',
    schema: {
      name: "pre_tool_use_decision",
      schema: {
        type: "object",
        properties: { decision: { type: "string", enum: ["allow", "ask", "deny"] }, reason: REASON },
        required: ["decision", "reason"],
        additionalProperties: false,
      },
    },
    reply: (text, payload, event, { compat }) => {
      const read = readAnswer(text, permission, payload);
      return read.ok ? permissionReply(read.answer, event, compat) : invalid(read.message);
    },
  },
  text: {
    instruction:
      "Answer with plain text, as short as it can be. It is given to the agent as context, so it must make sense on its own.",
    schema: undefined,
    reply: (text, _payload, event, { compat }) => {
      const said = cleanText(text.trim());
      if (said === "") return { ok: true, reply: {}, ignored: [] };
      if (contractOfEvent(event, compat).context !== null) {
        return { ok: true, reply: { additionalContext: [said] }, ignored: [] };
      }
      return { ok: true, reply: {}, ignored: [`the model's text: ${event.name} does not honour additionalContext`] };
    },
  },
};

/** Builds a command hook's reply, so that the event's row decides which parts count. */
function permissionReply(
  { decision, reason }: Permission,
  event: HookEvent,
  compat: JudgeOptions["compat"],
): ReplyRead {
  const contract = contractOfEvent(event, compat);
  const byBehaviour = contract.specific.includes("updatedPermissions") && decision !== "ask";
  const details: JsonObject = byBehaviour
    ? { decision: { behavior: decision, ...(reason === undefined ? {} : { message: reason }) } }
    : { permissionDecision: decision, ...(reason === undefined ? {} : { permissionDecisionReason: reason }) };
  const json = { hookSpecificOutput: { hookEventName: event.name, ...details } };
  return readReply(json, { eventName: event.name, contract, strict: true });
}

function invalid(message: string): ReplyRead {
  return { ok: false, failure: { kind: "invalid-output", message: cleanLine(message, MAX_QUOTED) } };
}
