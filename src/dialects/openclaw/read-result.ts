import type { DecodedReply } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { Reply } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import { openclawTools } from "./tools.ts";

/**
 * Reads the object that a hook of OpenClaw returns. Fields that this kind of hook does not have are dropped and
 * reported. A value of the wrong type is a failure, because an unread `block` would open the gate.
 */
export function readResult(json: JsonObject, event: HookEvent): DecodedReply {
  const shape = SHAPES[event.name] ?? {};
  const draft: Draft = {};
  const ignored: string[] = [];
  try {
    for (const [key, value] of Object.entries(json)) {
      const read = Object.hasOwn(shape, key) ? shape[key] : shape["*"];
      if (read === undefined) ignored.push(`${cleanLine(key, 100)}: ${event.name} does not honour it`);
      else read(draft, value, { key, event, json });
    }
    if (event.name === "BeforeAgentRun" && draft.decision === undefined && json["outcome"] !== "pass")
      throw new BadResult('outcome must be "pass" or "block"');
    if (event.name === "Stop" && (json["action"] === "revise" || json["action"] === "finalize"))
      stopReason(draft, json);
  } catch (error) {
    if (!(error instanceof BadResult)) throw error;
    return { ok: false, failure: { kind: "invalid-output", message: cleanLine(error.message, 300) } };
  }
  const { context, ...reply } = draft;
  if (context === undefined) return { ok: true, reply, ignored };
  return { ok: true, reply: { ...reply, additionalContext: context }, ignored };
}

class BadResult extends Error {}

type Draft = { -readonly [Key in keyof Reply]: Reply[Key] } & { context?: string[] };
interface Field {
  readonly key: string;
  readonly event: HookEvent;
  readonly json: JsonObject;
}
type Reader = (draft: Draft, value: JsonValue, field: Field) => void;

const refusal: Reader = (draft, value, { key, event }) => {
  if (flag(value, key)) draft.decision = contractOfEvent(event).verdicts.includes("deny") ? "deny" : "block";
};
const reason: Reader = (draft, value, { key }) => {
  draft.reason = text(value, key);
};
const output: Reader = (draft, value) => {
  draft.updatedOutput = value;
};
const context: Reader = (draft, value, { key }) => {
  const said = text(value, key);
  if (said !== "") draft.context = [...(draft.context ?? []), said];
};
const specific: Reader = (draft, value, { key }) => {
  draft.specific = { ...draft.specific, [key]: value };
};
const specificText: Reader = (draft, value, field) => specific(draft, text(value, field.key), field);

const claim: Readonly<Record<string, Reader>> = {
  handled: (draft, value, field) => {
    if (flag(value, field.key)) specific(draft, true, field);
  },
  reply: specific,
};
const prompt: Readonly<Record<string, Reader>> = { prependContext: context, appendContext: context };

/** The fields of each hook's result. `*` reads all other fields. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  PreToolUse: {
    block: refusal,
    blockReason: reason,
    params: (draft, value, { key, event }) => {
      draft.updatedInput = openclawTools.exchangedInput(event.payload["tool_name"], object(value, key));
    },
    requireApproval: (draft, value, { key }) => {
      const asked = object(value, key);
      draft.approval = asked;
      draft.decision ??= "ask";
      if (draft.reason === undefined) draft.reason = text(asked["description"] ?? "", `${key}.description`);
    },
  },
  BeforeAgentRun: {
    outcome: (draft, value) => {
      if (value === "block") draft.decision = "block";
      else if (value !== "pass") throw new BadResult('outcome must be "pass" or "block"');
    },
    reason,
    // `message` is the text for the user, used if there is no other reason.
    message: (draft, value, { key, json }) => {
      if (json["reason"] === undefined) draft.reason = text(value, key);
    },
  },
  BeforeInstall: { block: refusal, blockReason: reason },
  SubagentSpawning: {
    status: (draft, value) => {
      if (value === "error") draft.decision = "block";
      else if (value !== "ok") throw new BadResult('status must be "ok" or "error"');
    },
    error: reason,
  },
  Stop: {
    action: (draft, value) => {
      if (value === "revise") draft.decision = "block";
      else if (value === "finalize") draft.continue = false;
      else if (value !== "continue") throw new BadResult('action must be "continue", "revise" or "finalize"');
    },
    reason: (_, value, { key }) => void text(value, key),
  },
  MessageSending: {
    cancel: refusal,
    cancelReason: reason,
    content: (draft, value, { key }) => {
      draft.updatedOutput = text(value, key);
    },
  },
  ReplyPayloadSending: { cancel: refusal, cancelReason: reason, payload: output },
  BeforeMessageWrite: { block: refusal, message: output },
  ToolResultPersist: { message: output },
  InboundClaim: claim,
  BeforeDispatch: claim,
  ReplyDispatch: claim,
  BeforeAgentReply: claim,
  BeforeModelResolve: { providerOverride: specificText, modelOverride: specificText },
  BeforePromptBuild: {
    ...prompt,
    systemPrompt: specificText,
    prependSystemContext: specificText,
    appendSystemContext: specificText,
  },
  AgentTurnPrepare: prompt,
  BeforeAgentStart: prompt,
  HeartbeatPrompt: prompt,
  ResolveExecEnv: {
    "*": (draft, value, { key }) => {
      const env = { ...(draft.specific?.["env"] as JsonObject | undefined), [key]: text(value, key) };
      draft.specific = { env };
    },
  },
};

/** Reads `reason`, which says why the answer must be revised, or why the answer is accepted. */
function stopReason(draft: Draft, json: JsonObject): void {
  const said = json["reason"];
  if (said === undefined) return;
  if (draft.decision === "block") draft.reason = text(said, "reason");
  else draft.stopReason = text(said, "reason");
}

function flag(value: JsonValue, key: string): boolean {
  if (typeof value === "boolean") return value;
  throw new BadResult(`${key} must be true or false`);
}

function text(value: JsonValue, key: string): string {
  if (typeof value === "string") return value;
  throw new BadResult(`${key} must be a string`);
}

function object(value: JsonValue, key: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new BadResult(`${key} must be an object`);
}
