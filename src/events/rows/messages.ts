import type { EventRow } from "../contract.ts";
import { gate, NO_MODEL, observer, openclawOnly } from "./kinds.ts";

/** Events of an agent that is reached by messages: incoming and outgoing messages, and the service around them. */

const watched = { ...openclawOnly, ...observer } as const satisfies EventRow;
const stops = {
  ...openclawOnly,
  ...gate,
  verdicts: ["block"],
  handlers: NO_MODEL,
  overrides: { openclaw: { importedFailures: "continue" } },
} as const satisfies EventRow;
const shutsOnFailure = { ...stops, overrides: { openclaw: { failsClosed: true } } } as const satisfies EventRow;
/** Events whose message is handled by the first hook that claims it. */
const claimed = { ...watched, order: "sequential", specific: ["handled", "reply"] } as const satisfies EventRow;
/** Events at which hooks add text to the prompt of one turn. */
const prompted = { ...watched, context: "turn" } as const satisfies EventRow;

export const MESSAGE_EVENTS = {
  InboundClaim: claimed,
  BeforeDispatch: claimed,
  ReplyDispatch: claimed,
  BeforeAgentReply: claimed,
  MessageReceived: watched,
  MessageSending: { ...stops, rewrites: "output", order: "sequential", endsAt: "refusal" },
  ReplyPayloadSending: { ...stops, rewrites: "output", order: "sequential", endsAt: "refusal" },
  MessageSent: watched,

  BeforeModelResolve: { ...watched, specific: ["providerOverride", "modelOverride"] },
  BeforePromptBuild: {
    ...prompted,
    specific: ["systemPrompt", "prependSystemContext", "appendSystemContext"],
  },
  AgentTurnPrepare: prompted,
  BeforeAgentStart: prompted,
  HeartbeatPrompt: prompted,
  BeforeAgentRun: shutsOnFailure,
  ModelInput: watched,
  ModelCallStarted: watched,
  ModelCallEnded: watched,

  ToolResultPersist: { ...watched, subject: "tool_name", rewrites: "output", order: "sequential" },
  BeforeMessageWrite: { ...stops, rewrites: "output", order: "sequential", endsAt: "refusal" },
  BeforeReset: watched,
  SubagentSpawning: stops,
  SubagentDeliveryTarget: watched,

  BeforeInstall: shutsOnFailure,
  ResolveExecEnv: { ...watched, specific: ["env"] },
  SkillProposalEvaluate: watched,
  SkillChanged: watched,
  GatewayStart: watched,
  GatewayStop: { ...watched, survivesCancellation: true },
} as const satisfies Record<string, EventRow>;
