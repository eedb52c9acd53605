import { contractOf } from "../../events/lookup.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import type { DecidedEvent } from "../dialect.ts";
import { openclawTools } from "./tools.ts";

/** Converts a verdict to the object that a hook of OpenClaw returns, which differs for each kind of hook. */
export function resultOf(verdict: Verdict, event: DecidedEvent): JsonObject {
  const shape = RESULTS[verdict.event];
  if (shape === undefined) return {};
  const isUnheard = verdict.cancelled && verdict.decision === "none";
  // If a rule was cancelled before it answered, the gate stays shut, unless a refusal would keep the agent going.
  const shuts = isUnheard && contractOf(verdict.event, "openclaw")?.onFailure === "deny";
  const refused = shuts || verdict.decision === "deny" || verdict.decision === "block" || !verdict.continue;
  const reason = shuts
    ? "hookbox was cancelled before all rules had answered"
    : (verdict.reason ?? verdict.stopReason ?? "refused by a hook");
  return shape(verdict, { refused, reason, event });
}

/**
 * Returns the result that keeps a gate shut if its event could not be judged. For an unknown event, the result contains
 * the refusals of all gates.
 */
export function refusalAt(name: string | undefined, reason: string): JsonObject {
  const event = (one: string): JsonObject =>
    RESULTS[one]?.(SILENT, { refused: true, reason, event: { name: one, payload: {} } }) ?? {};
  if (name !== undefined) return contractOf(name, "openclaw")?.kind === "gate" ? event(name) : {};
  return { ...event("PreToolUse"), ...event("MessageSending"), outcome: "block", reason };
}

interface Said {
  readonly refused: boolean;
  readonly reason: string;
  readonly event: DecidedEvent;
}

type Spoken = Pick<
  Verdict,
  "decision" | "continue" | "reason" | "updatedInput" | "updatedOutput" | "approval" | "specific" | "additionalContext"
>;
type Shape = (verdict: Spoken, said: Said) => JsonObject;

const SILENT: Spoken = {
  decision: "none",
  continue: true,
  reason: null,
  updatedInput: null,
  updatedOutput: null,
  approval: null,
  specific: {},
  additionalContext: null,
};

const MAX_TITLE = 80;
const MAX_DESCRIPTION = 256;

/** The result of each hook. Hooks that are not listed only observe and return nothing. */
const RESULTS: Readonly<Record<string, Shape>> = {
  PreToolUse: toolCallResult,
  BeforeAgentRun: (_, { refused, reason }) =>
    refused ? { outcome: "block", reason, message: reason } : { outcome: "pass" },
  BeforeInstall: (_, { refused, reason }) => (refused ? { block: true, blockReason: reason } : {}),
  SubagentSpawning: (_, { refused, reason }) => (refused ? { status: "error", error: reason } : {}),
  Stop: finalizeResult,
  MessageSending: rewritten("content", { cancel: true }),
  ReplyPayloadSending: rewritten("payload", { cancel: true }),
  BeforeMessageWrite: rewritten("message", { block: true }),
  ToolResultPersist: rewritten("message", {}),
  InboundClaim: claimed,
  BeforeDispatch: claimed,
  ReplyDispatch: claimed,
  BeforeAgentReply: claimed,
  BeforeModelResolve: ({ specific }) => specific,
  BeforePromptBuild: prompted,
  AgentTurnPrepare: prompted,
  BeforeAgentStart: prompted,
  HeartbeatPrompt: prompted,
  ResolveExecEnv: ({ specific }) => asObject(specific["env"]),
};

function toolCallResult(verdict: Spoken, { refused, reason, event }: Said): JsonObject {
  if (refused) return { block: true, blockReason: reason };
  const tool = event.payload["tool_name"];
  const params =
    verdict.updatedInput === null ? {} : { params: openclawTools.exchangedInput(tool, verdict.updatedInput) };
  if (verdict.decision !== "ask" && verdict.decision !== "defer" && verdict.approval === null) return params;
  const agentTool = typeof tool === "string" ? openclawTools.agentTool(tool) : "a tool";
  const approval = {
    title: `Run ${agentTool}`.slice(0, MAX_TITLE),
    description: (verdict.reason ?? "A rule asks for approval of this call").slice(0, MAX_DESCRIPTION),
    ...verdict.approval,
  };
  return { ...params, requireApproval: approval };
}

/** Returns the result of `before_agent_finalize`. `continue: false` accepts the agent's answer unchanged. */
function finalizeResult(verdict: Spoken, { reason }: Said): JsonObject {
  if (!verdict.continue) return { action: "finalize", reason };
  return verdict.decision === "block" ? { action: "revise", reason } : {};
}

function rewritten(field: string, refusal: JsonObject): Shape {
  return ({ updatedOutput }, { refused }) => ({
    ...(updatedOutput === null ? {} : { [field]: updatedOutput }),
    ...(refused ? refusal : {}),
  });
}

function claimed({ specific }: Spoken): JsonObject {
  return specific["handled"] === true ? specific : {};
}

function prompted({ specific, additionalContext }: Spoken): JsonObject {
  return { ...(additionalContext === null ? {} : { prependContext: additionalContext }), ...specific };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
