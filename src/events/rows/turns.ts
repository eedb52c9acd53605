import type { EventRow } from "../contract.ts";
import {
  agentaoEvent,
  autohandWatches,
  dockerAndOpenclaw,
  dockerOnly,
  dockerStops,
  dockerTurnText,
  dockerWatches,
  gate,
  goOn,
  observer,
  openclawWatches,
  watcher,
} from "./kinds.ts";

/** Events of a turn: the user's prompt, the model's request and response, and the end of agents. */

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
    overrides: {
      "docker-agent": { ...dockerStops, ...dockerTurnText },
      agentao: { ...agentaoEvent, verdicts: ["block", "continue:false"], handlers: ["command", "context"] },
      // In Autohand's documentation, only exit code 2 and a refusal in JSON stop the agent.
      autohand: { plainTextIsContext: false, importedFailures: "continue", specific: [] },
    },
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
  /** Sent for messages that the user wrote while the agent was working. */
  UserSteeringMessagesSubmit: { ...dockerOnly, ...said },
  /** Sent for a message that the user wrote earlier and that was kept until the end of the turn. */
  UserFollowupSubmit: { ...dockerOnly, ...said, required: ["prompt"] },
  /** Sent when the agent waits for the user. */
  UserInput: { ...dockerOnly, ...watcher },

  TurnStart: {
    ...dockerOnly,
    ...watcher,
    context: "turn",
    plainTextIsContext: true,
    overrides: { "docker-agent": { specific: ["instructionContext"] } },
  },
  TurnEnd: { ...dockerAndOpenclaw, ...watcher, survivesCancellation: true },
  BeforeModelCall: {
    ...dockerOnly,
    ...gate,
    verdicts: ["block", "continue:false"],
    rewrites: "messages",
    order: "sequential",
    overrides: { "docker-agent": { importedFailures: "continue" } },
  },
  AfterModelCall: { ...dockerAndOpenclaw, ...watcher },
  MaxIterations: { ...dockerOnly, ...watcher },
  AgentError: { ...watcher, agents: ["docker-agent", "autohand"] },
  AgentSwitch: { ...dockerOnly, ...watcher },

  Stop: {
    ...goOn,
    context: "turn",
    overrides: {
      "docker-agent": dockerWatches,
      // In Agentao a hook may set the error of the turn and the reason for the turn's end.
      agentao: {
        ...agentaoEvent,
        verdicts: ["block", "continue:false"],
        specific: ["blockingError", "stopReason"],
      },
      autohand: autohandWatches,
      // "revise" asks for one more pass, "finalize" ends the turn. Text cannot be added.
      openclaw: { context: null },
    },
    pages: { "docker-agent": dockerTurnText },
  },
  SubagentStop: {
    ...goOn,
    subject: "agent_type",
    context: "turn",
    overrides: {
      "docker-agent": dockerWatches,
      // A list with one field makes a matcher test an empty text if the field is missing.
      autohand: { ...autohandWatches, subject: ["agent_type"] },
      openclaw: openclawWatches,
    },
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
  TaskCompleted: {
    ...goOn,
    overrides: { autohand: { ...autohandWatches, subject: ["task_id", "team_task_owner", "team_task_result"] } },
  },
  TeammateIdle: {
    ...goOn,
    overrides: { autohand: { ...autohandWatches, subject: ["team_name", "teammate_name", "teammate_agent_name"] } },
  },
} as const satisfies Record<string, EventRow>;
