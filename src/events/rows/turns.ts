import type { EventRow } from "../contract.ts";
import {
  dockerOnly,
  dockerStops,
  dockerTurnText,
  dockerWatches,
  gate,
  goOn,
  observer,
  openclawWatches,
} from "./kinds.ts";

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
  UserSteeringMessagesSubmit: { ...dockerOnly, ...said },
  /** Said earlier, and kept until the turn was over. */
  UserFollowupSubmit: { ...dockerOnly, ...said, required: ["prompt"] },
  /** The agent waits for its user. */
  UserInput: { ...dockerOnly, ...observer },

  TurnStart: {
    ...dockerOnly,
    ...observer,
    context: "turn",
    plainTextIsContext: true,
    overrides: { "docker-agent": { specific: ["instructionContext"] } },
  },
  TurnEnd: { ...dockerOnly, ...observer, survivesCancellation: true },
  BeforeModelCall: {
    ...dockerOnly,
    ...gate,
    verdicts: ["block", "continue:false"],
    rewrites: "messages",
    order: "sequential",
    overrides: { "docker-agent": { importedFailures: "continue" } },
  },
  AfterModelCall: { ...dockerOnly, ...observer },
  MaxIterations: { ...dockerOnly, ...observer },
  AgentError: { ...dockerOnly, ...observer },
  AgentSwitch: { ...dockerOnly, ...observer },

  Stop: {
    ...goOn,
    context: "turn",
    // "revise" asks for one more pass, and "finalize" ends the turn; there is nothing to add to it.
    overrides: { "docker-agent": dockerWatches, openclaw: { context: null } },
    pages: { "docker-agent": dockerTurnText },
  },
  SubagentStop: {
    ...goOn,
    subject: "agent_type",
    context: "turn",
    overrides: { "docker-agent": dockerWatches, openclaw: openclawWatches },
  },
  StopFailure: { ...observer, subject: "error", matcherStyle: "narrow" },
  SubagentStart: {
    ...observer,
    subject: "agent_type",
    verdicts: ["continue:false"],
    context: "stays",
    overrides: { openclaw: openclawWatches },
  },
  MessageDisplay: { ...observer, specific: ["displayContent"] },
  TaskCreated: { ...gate, verdicts: ["block"] },
  TaskCompleted: goOn,
  TeammateIdle: goOn,
} as const satisfies Record<string, EventRow>;
