import type { Compat } from "../../src/codec.ts";
import type { FailureKind } from "../../src/outcome.ts";
import type { OnFailure } from "../../src/rule.ts";

/**
 * What a failure has to mean, from the agents' pages and our own principles. Nothing here may come from the code under
 * test: only types are imported.
 */

export type FaultDialect =
  | "hookbox"
  | "claude-code"
  | "docker-agent"
  | "agentao"
  | "autohand"
  | "openclaw"
  | "patterns";
export const FAULT_DIALECTS: readonly FaultDialect[] = [
  "hookbox",
  "claude-code",
  "docker-agent",
  "agentao",
  "autohand",
  "openclaw",
  "patterns",
];

/** What can be asked of an event, and what a failure may mean there. */
type GateState =
  /** Guards an action that can be tried again: shut unless a page promises otherwise. */
  | "guards"
  /** The agent itself knows no other answer to a failure than "no". */
  | "closed"
  /** A refusal would strand the session, or comes after the deed: only who asks for it gets it. */
  | "on request"
  /** Nothing to refuse, or a refusal that would send the agent round again. */
  | "never";

type EventCategory = "gate" | "go on" | "observer";

type Word = "deny" | "block" | null;

interface EventFacts {
  readonly category: EventCategory;
  /** The event's word for "no", if it has one that counts. */
  readonly word: Word;
  readonly gateState: GateState;
  /** Agents that differ from this. */
  readonly of?: Partial<Readonly<Record<FaultDialect, { readonly gateState: GateState; readonly word: Word }>>>;
  /** Agents that fire it, in addition to embedders. Default: all agents whose events are not listed below. */
  readonly agents?: readonly FaultDialect[];
  /** Fields that the payload must have. */
  readonly payload?: Readonly<Record<string, string>>;
}

const TOOL = { tool_name: "Bash" } as const;
const CLOSED = { gateState: "closed", word: "deny" } as const;
const WATCHED = { gateState: "never", word: null } as const;
/** OpenClaw's own: it skips a handler that fails there, but a rule of the engine is not such a handler. */
const OF_MESSAGES = { category: "gate", word: "block", gateState: "guards", agents: ["openclaw"] } as const;

const FAULT_EVENTS = {
  PreToolUse: {
    category: "gate",
    word: "deny",
    gateState: "guards",
    // OpenClaw's runner turns a handler's failure into a block of the call, whatever its plugin does.
    of: { "docker-agent": CLOSED, openclaw: CLOSED },
    payload: TOOL,
  },
  PermissionRequest: { category: "gate", word: "deny", gateState: "guards", payload: TOOL },
  ToolGuard: { category: "gate", word: "deny", gateState: "guards", of: { "docker-agent": CLOSED }, payload: TOOL },
  UserPromptSubmit: { category: "gate", word: "block", gateState: "guards", payload: { prompt: "hello" } },
  // Agentao's compaction is only reported.
  PreCompact: { category: "gate", word: "block", gateState: "on request", of: { agentao: WATCHED } },
  /** A "no" to what the agent wants to learn. */
  BeforeLearn: { category: "gate", word: "block", gateState: "guards", agents: ["autohand"] },
  /** docker-agent's event, at which its page lets a hook end the run. */
  BeforeModelCall: { category: "gate", word: "block", gateState: "guards", agents: ["docker-agent"] },
  BeforeAgentRun: { ...OF_MESSAGES, of: { openclaw: { gateState: "closed", word: "block" } } },
  BeforeInstall: { ...OF_MESSAGES, of: { openclaw: { gateState: "closed", word: "block" } } },
  MessageSending: OF_MESSAGES,
  ReplyPayloadSending: OF_MESSAGES,
  BeforeMessageWrite: OF_MESSAGES,
  SubagentSpawning: OF_MESSAGES,
  // Autohand waits for no hook when it ends.
  Stop: { category: "go on", word: null, gateState: "never" },
  SubagentStop: { category: "go on", word: null, gateState: "never" },
  TaskCompleted: { category: "go on", word: null, gateState: "never" },
  TeammateIdle: { category: "go on", word: null, gateState: "never" },
  PostToolUse: {
    category: "observer",
    word: null,
    gateState: "never",
    // There it ends the run, after all tools of the batch.
    of: { "docker-agent": { gateState: "on request", word: "block" } },
    payload: TOOL,
  },
  ToolResultPersist: { category: "observer", word: null, gateState: "never", agents: ["openclaw"], payload: TOOL },
  Notification: { category: "observer", word: null, gateState: "never" },
  SessionEnd: { category: "observer", word: null, gateState: "never" },
} as const satisfies Record<string, EventFacts>;

export type FaultEvent = keyof typeof FAULT_EVENTS;
export const FAULT_EVENT_NAMES = Object.keys(FAULT_EVENTS) as FaultEvent[];

export const factsOf = (event: FaultEvent): EventFacts => FAULT_EVENTS[event];

/** Agents that fire these of the table's events and no others. */
const OWN_EVENTS: Partial<Readonly<Record<FaultDialect, readonly FaultEvent[]>>> = {
  agentao: ["PreToolUse", "UserPromptSubmit", "PreCompact", "Stop", "PostToolUse", "SessionEnd"],
  autohand: [
    "PreToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "BeforeLearn",
    "Stop",
    "SubagentStop",
    "TaskCompleted",
    "TeammateIdle",
    "PostToolUse",
    "Notification",
    "SessionEnd",
  ],
  openclaw: [
    "PreToolUse",
    "BeforeAgentRun",
    "BeforeInstall",
    "MessageSending",
    "ReplyPayloadSending",
    "BeforeMessageWrite",
    "SubagentSpawning",
    "Stop",
    "SubagentStop",
    "PostToolUse",
    "ToolResultPersist",
    "SessionEnd",
  ],
};

/** Whether the agent fires the event, so that its files can have hooks for it. */
export function fires(dialect: FaultDialect, event: FaultEvent): boolean {
  const own = OWN_EVENTS[dialect];
  if (own !== undefined) return own.includes(event);
  const { agents } = factsOf(event);
  return agents === undefined || dialect === "hookbox" || agents.includes(dialect);
}

/** The event's word for "no" in this agent's contract. */
export function wordFor(event: FaultEvent, dialect: FaultDialect): Word {
  const { of, word } = factsOf(event);
  return of?.[dialect] === undefined ? word : of[dialect].word;
}

export interface Cell {
  readonly event: FaultEvent;
  /** The dialect of the agent that asks. */
  readonly eventDialect: FaultDialect;
  /** The dialect of the rule's file. */
  readonly ruleDialect: FaultDialect;
  /** A guard, or a rule that could not be loaded: no agent's page describes it, whatever its file is. */
  readonly isOurs: boolean;
  readonly kind: FailureKind;
  readonly compat: Compat;
  readonly onFailure: OnFailure | undefined;
}

/** No answer: what an attacker would cause, and what the pages let pass. */
const NO_ANSWER: readonly FailureKind[] = [
  "timeout",
  "spawn",
  "signal",
  "unavailable",
  "output-too-large",
  "invalid-output",
  // An agent that has used all its turns ends as if it had been cancelled, and its page goes on.
  "turns",
];
/** An answer by exit code, which means what the page says: go ahead. */
const ANSWERED: readonly FailureKind[] = ["exit", "no-output"];

export function expectedMeaning(cell: Cell): "shut" | "open" {
  const gateState = gateStateOf(cell.event, cell.eventDialect);
  if (gateState === "never") return "open";
  if (gateState === "closed" || gateStateOf(cell.event, cell.ruleDialect) === "closed")
    return isOnOldPage(cell) ? "open" : "shut";
  if (cell.onFailure !== undefined) return cell.onFailure === "block" ? "shut" : "open";
  if (gateState === "on request") return "open";
  if (cell.isOurs || cell.ruleDialect === "hookbox") return "shut";
  // Refused by hookbox, and not by anything that a page describes.
  if (!NO_ANSWER.includes(cell.kind) && !ANSWERED.includes(cell.kind)) return "shut";
  return promised(cell);
}

/** docker-agent's page of mid-2026: an exit code before a tool runs is logged, and the tool runs. */
function isOnOldPage({ event, ruleDialect, isOurs, kind, compat, onFailure }: Cell): boolean {
  if (ruleDialect !== "docker-agent" || isOurs || compat !== "faithful") return false;
  return event === "PreToolUse" && kind === "exit" && onFailure !== "block";
}

function gateStateOf(event: FaultEvent, dialect: FaultDialect): GateState {
  const { of, gateState } = factsOf(event);
  return of?.[dialect]?.gateState ?? gateState;
}

/** Whether the agent waits there for a decision about a pending action. */
export function standsShut(event: FaultEvent, dialect: FaultDialect): boolean {
  const gateState = gateStateOf(event, dialect);
  return gateState === "guards" || gateState === "closed";
}

/** What the author of an imported hook has read, and where hookbox differs. */
function promised({ event, ruleDialect, kind, compat }: Cell): "shut" | "open" {
  const byDefault = compat === "safer" ? "shut" : "open";
  if (ruleDialect === "docker-agent") return event === "PermissionRequest" ? byDefault : "open";
  // Autohand's code refuses anything but a well-formed answer at a permission; its page goes on after all but exit code
  // 2, and both agree at other events.
  if (ruleDialect === "autohand") return event === "PreToolUse" || event === "PermissionRequest" ? byDefault : "open";
  // No page says that the exit code of a guard that judges every call is ignored. Agentao warns of every failure and
  // goes on: with an exit code, which is an answer, this is followed; without any answer it would be a way in.
  if (event === "ToolGuard" || NO_ANSWER.includes(kind)) return byDefault;
  return "open";
}
