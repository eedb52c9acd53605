import type { EventRow } from "../contract.ts";
import { dockerStops, dockerTurnText, dockerWatches, gate, goOn, observer } from "./kinds.ts";

/** What the user says, what the model is asked and answers, and where agents come to an end. */

const said = {
  ...gate,
  verdicts: ["block", "continue:false"],
  context: "turn",
  plainTextIsContext: true,
  overrides: { "docker-agent": { ...dockerStops, ...dockerTurnText } },
} as const satisfies EventRow;

export const TURN_EVENTS = {
  UserPromptSubmit: {
    ...gate,
    required: ["prompt"],
    verdicts: ["block", "continue:false"],
    context: "stays",
    plainTextIsContext: true,
    specific: ["sessionTitle", "suppressOriginalPrompt"],
    overrides: { "docker-agent": { ...dockerStops, ...dockerTurnText } },
  },
  UserPromptExpansion: {
    ...gate,
    subject: "command_name",
    required: ["command_name"],
    verdicts: ["block", "continue:false"],
    context: "stays",
    plainTextIsContext: true,
    specific: ["suppressOriginalPrompt"],
  },
  /** Said while the agent was at work. */
  UserSteeringMessagesSubmit: said,
  /** Said earlier, and kept until the turn was over. */
  UserFollowupSubmit: { ...said, required: ["prompt"] },
  /** The agent waits for its user. */
  UserInput: observer,

  TurnStart: {
    ...observer,
    context: "turn",
    plainTextIsContext: true,
    overrides: { "docker-agent": { specific: ["instructionContext"] } },
  },
  TurnEnd: { ...observer, survivesCancellation: true },
  BeforeModelCall: {
    ...gate,
    verdicts: ["block", "continue:false"],
    rewrites: "messages",
    order: "sequential",
    overrides: { "docker-agent": { importedFailures: "continue" } },
  },
  AfterModelCall: observer,
  MaxIterations: observer,
  AgentError: observer,
  AgentSwitch: observer,

  Stop: {
    ...goOn,
    context: "turn",
    overrides: { "docker-agent": dockerWatches },
    pages: { "docker-agent": dockerTurnText },
  },
  SubagentStop: { ...goOn, subject: "agent_type", context: "turn", overrides: { "docker-agent": dockerWatches } },
  StopFailure: { ...observer, subject: "error", matcherStyle: "narrow" },
  SubagentStart: { ...observer, subject: "agent_type", verdicts: ["continue:false"], context: "stays" },
  MessageDisplay: { ...observer, specific: ["displayContent"] },
  TaskCreated: { ...gate, verdicts: ["block"] },
  TaskCompleted: goOn,
  TeammateIdle: goOn,
} as const satisfies Record<string, EventRow>;
