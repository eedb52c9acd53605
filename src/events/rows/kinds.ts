import type { EventContract, EventRow } from "../contract.ts";

/** What rows are made of: an event that only watches, one that can stop something, and what several have in common. */

export const ANY_HANDLER = [
  "command",
  "http",
  "mcp_tool",
  "model",
  "agent",
  "wasm",
  "function",
  "context",
  "builtin",
] as const;
export const NO_MODEL = ["command", "http", "mcp_tool", "wasm", "function", "context", "builtin"] as const;
/** At start-up there is no HTTP policy to go by and no model to ask. */
export const LOCAL_ONLY = ["command", "mcp_tool", "wasm", "function", "context", "builtin"] as const;

export const observer = {
  subject: null,
  subjectForm: "value",
  matcherStyle: "wide",
  required: [],
  kind: "observer",
  blockMeansGoOn: false,
  verdicts: [],
  rewrites: null,
  rewriteMode: "replace",
  metadata: false,
  context: null,
  plainTextIsContext: false,
  order: "parallel",
  endsAt: null,
  yieldsToQuestion: false,
  onFailure: "continue",
  failsClosed: false,
  importedFailures: "by-kind",
  survivesCancellation: false,
  failuresDeny: [],
  failuresGoOn: [],
  handlers: NO_MODEL,
  specific: [],
} as const satisfies EventRow;

export const gate = { ...observer, kind: "gate", onFailure: "deny", handlers: ANY_HANDLER } as const satisfies EventRow;

export const goOn = {
  ...gate,
  blockMeansGoOn: true,
  verdicts: ["block", "continue:false"],
  onFailure: "continue",
} as const satisfies EventRow;

/** Watches, and no agent is known to keep a model from being asked there. */
export const watcher = { ...observer, handlers: ANY_HANDLER } as const satisfies EventRow;

/** Not an event of Claude Code's, or of those that follow it. */
export const dockerOnly = { agents: ["docker-agent"] } as const satisfies Partial<EventRow>;
export const dockerAndOpenclaw = { agents: ["docker-agent", "openclaw"] } as const satisfies Partial<EventRow>;
export const autohandOnly = { agents: ["autohand"] } as const satisfies Partial<EventRow>;
export const openclawOnly = { agents: ["openclaw"] } as const satisfies Partial<EventRow>;

export const toolEvent = { subject: "tool_name", required: ["tool_name"] } as const;

/**
 * docker-agent (September 2026). Its tool names are matched whole. A gate there says "warn" to a failure unless it
 * fails closed, and text is taken from plain output wherever it is taken at all.
 */
export const dockerTool = { matcherStyle: "anchored" } as const satisfies Partial<EventContract>;
export const dockerWatches = {
  kind: "observer",
  blockMeansGoOn: false,
  verdicts: [],
  rewrites: null,
  context: null,
  plainTextIsContext: false,
  importedFailures: "continue",
  failuresDeny: [],
  specific: [],
} as const satisfies Partial<EventContract>;
export const dockerStops = {
  ...dockerWatches,
  kind: "gate",
  verdicts: ["block", "continue:false"],
} as const satisfies Partial<EventContract>;
/** Agentao: command hooks, nobody who permits or rewrites, and at most text that is kept. */
export const agentaoEvent = {
  subject: null,
  verdicts: [],
  rewrites: null,
  handlers: ["command"],
  specific: [],
} as const satisfies Partial<EventContract>;
/** All of them are run, whatever one says. */
export const agentaoWatches = {
  ...agentaoEvent,
  kind: "observer",
  context: null,
  plainTextIsContext: false,
  endsAt: null,
} as const satisfies Partial<EventContract>;

/** Adds text to one turn, which is not kept. */
export const dockerTurnText = { context: "turn", plainTextIsContext: true } as const satisfies Partial<EventContract>;

/**
 * Autohand (August 2026). At its two gates whatever is not a well-formed answer refuses; its page of May 2026 goes on
 * after everything but exit code 2. A rewrite names the fields that change.
 */
export const autohandGate = {
  verdicts: ["allow", "deny", "ask", "continue:false"],
  rewriteMode: "patch",
  importedFailures: "deny",
  specific: [],
} as const satisfies Partial<EventContract>;
/** What a hook answers there is not read. */
export const autohandWatches = {
  kind: "observer",
  blockMeansGoOn: false,
  verdicts: [],
  context: null,
  plainTextIsContext: false,
  specific: [],
} as const satisfies Partial<EventContract>;

/** OpenClaw tells of it, and takes no answer. */
export const openclawWatches = {
  kind: "observer",
  blockMeansGoOn: false,
  verdicts: [],
  rewrites: null,
  context: null,
  plainTextIsContext: false,
  specific: [],
} as const satisfies Partial<EventContract>;
