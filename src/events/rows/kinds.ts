import type { EventContract, EventRow } from "../contract.ts";

/** Parts that several rows share: observers, gates, and groups of fields. */

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
/** Handlers that work at start-up, when there is no HTTP policy and no model yet. */
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

/** An observer that allows all handlers, models included. */
export const watcher = { ...observer, handlers: ANY_HANDLER } as const satisfies EventRow;

/** An event that only docker-agent sends. */
export const dockerOnly = { agents: ["docker-agent"] } as const satisfies Partial<EventRow>;
export const dockerAndOpenclaw = { agents: ["docker-agent", "openclaw"] } as const satisfies Partial<EventRow>;
export const autohandOnly = { agents: ["autohand"] } as const satisfies Partial<EventRow>;
export const openclawOnly = { agents: ["openclaw"] } as const satisfies Partial<EventRow>;

/** The answers of hooks at an event that an agent only reports. */
const watches = {
  kind: "observer",
  blockMeansGoOn: false,
  verdicts: [],
  context: null,
  plainTextIsContext: false,
  specific: [],
} as const satisfies Partial<EventContract>;

export const toolEvent = { subject: "tool_name", required: ["tool_name"] } as const;

/**
 * Tool events of docker-agent (September 2026). Matchers test whole tool names. Unless a gate fails closed, a failure
 * is only a warning. Plain output is added as text at every event that accepts text.
 */
export const dockerTool = { matcherStyle: "anchored" } as const satisfies Partial<EventContract>;
export const dockerWatches = {
  ...watches,
  rewrites: null,
  importedFailures: "continue",
  failuresDeny: [],
} as const satisfies Partial<EventContract>;
export const dockerStops = {
  ...dockerWatches,
  kind: "gate",
  verdicts: ["block", "continue:false"],
} as const satisfies Partial<EventContract>;
/** Agentao's command hooks, which cannot permit or rewrite. Added text stays in the conversation. */
export const agentaoEvent = {
  subject: null,
  verdicts: [],
  rewrites: null,
  handlers: ["command"],
  specific: [],
} as const satisfies Partial<EventContract>;
/** Agentao's observers. All hooks run, whatever answer a hook gives. */
export const agentaoWatches = {
  ...agentaoEvent,
  kind: "observer",
  context: null,
  plainTextIsContext: false,
  endsAt: null,
} as const satisfies Partial<EventContract>;

/** Events at which added text lasts for one turn. */
export const dockerTurnText = { context: "turn", plainTextIsContext: true } as const satisfies Partial<EventContract>;

/**
 * Autohand's gates (August 2026). At its two gates every answer that is not well-formed refuses. The documentation of
 * May 2026 goes on after every answer except exit code 2. A rewrite contains the fields that change.
 */
export const autohandGate = {
  verdicts: ["allow", "deny", "ask", "continue:false"],
  rewriteMode: "patch",
  importedFailures: "deny",
  specific: [],
} as const satisfies Partial<EventContract>;
/** Autohand's observers. Autohand does not read the answer of a hook. */
export const autohandWatches = watches;
/** OpenClaw's observers. OpenClaw does not read the answer of a hook. */
export const openclawWatches = { ...watches, rewrites: null } as const satisfies Partial<EventContract>;
