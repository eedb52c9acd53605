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
    overrides: {
      "docker-agent": { ...dockerStops, ...dockerTurnText },
      agentao: { ...agentaoEvent, verdicts: ["block", "continue:false"], handlers: ["command", "context"] },
      // Its page lets exit code 2 and a "no" in JSON stop what is going on; all else goes on.
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
  /** Said while the agent was at work. */
  UserSteeringMessagesSubmit: { ...dockerOnly, ...said },
  /** Said earlier, and kept until the turn was over. */
  UserFollowupSubmit: { ...dockerOnly, ...said, required: ["prompt"] },
  /** The agent waits for its user. */
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
      // A hook there may give the turn an error of its own, and say why the turn ends.
      agentao: {
        ...agentaoEvent,
        verdicts: ["block", "continue:false"],
        specific: ["blockingError", "stopReason"],
      },
      autohand: autohandWatches,
      // "revise" asks for one more pass, and "finalize" ends the turn; there is nothing to add to it.
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
      // One field in a list: where it is missing, a matcher tests an empty text there.
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
