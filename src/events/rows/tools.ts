import type { EventRow } from "../contract.ts";
import {
  ANY_HANDLER,
  agentaoEvent,
  agentaoWatches,
  autohandGate,
  dockerOnly,
  dockerStops,
  dockerTool,
  dockerTurnText,
  dockerWatches,
  gate,
  NO_MODEL,
  observer,
  openclawWatches,
  toolEvent,
  watcher,
} from "./kinds.ts";

/** A tool call, from the first look at its input to what came of it. */
export const TOOL_EVENTS = {
  PreToolUse: {
    ...gate,
    ...toolEvent,
    verdicts: ["allow", "deny", "ask", "defer", "continue:false"],
    rewrites: "input",
    context: "stays",
    lanes: { preempt: { order: "parallel", rewrites: null, metadata: true, failuresGoOn: [] } },
    overrides: {
      "docker-agent": {
        ...dockerTool,
        verdicts: ["allow", "deny", "ask", "continue:false"],
        rewriteMode: "patch",
        context: null,
        order: "sequential",
        failsClosed: true,
      },
      // An "allow" there opens nothing that the agent's own permissions have shut.
      agentao: {
        ...agentaoEvent,
        subject: "tool_name",
        verdicts: ["deny", "ask", "continue:false"],
        plainTextIsContext: true,
      },
      autohand: autohandGate,
      // By priority, the first "no" ends it; `params` are fields. A handler that fails is taken for a "no".
      openclaw: {
        verdicts: ["allow", "deny", "ask", "continue:false"],
        rewriteMode: "patch",
        context: null,
        order: "sequential",
        endsAt: "refusal",
        failsClosed: true,
      },
    },
    // "Other" exit codes are logged there and execution continues; ahead of the permissions a crash refuses. A question
    // of the preempt lane goes to the user at once.
    pages: { "docker-agent": { rewriteMode: "replace", failuresGoOn: ["exit"], yieldsToQuestion: true } },
  },
  /** Before any rule, classifier or user sees the call; also where everything is allowed. */
  ToolInputTransform: {
    ...dockerOnly,
    ...gate,
    ...toolEvent,
    verdicts: ["deny", "continue:false"],
    rewrites: "input",
    rewriteMode: "patch",
    order: "sequential",
    overrides: { "docker-agent": { ...dockerTool, importedFailures: "continue" } },
  },
  /** Asked of every call, whatever was allowed before; so a silent rule must not let one pass. */
  ToolGuard: {
    ...dockerOnly,
    ...gate,
    ...toolEvent,
    verdicts: ["allow", "deny", "ask", "continue:false"],
    metadata: true,
    importedFailures: "deny",
    overrides: { "docker-agent": { ...dockerTool, failsClosed: true } },
  },
  PermissionRequest: {
    ...gate,
    ...toolEvent,
    verdicts: ["allow", "deny", "ask", "continue:false"],
    rewrites: "input",
    specific: ["updatedPermissions", "interrupt"],
    // Not one that fails closed there; a silent hook still must not stand for the user's consent.
    overrides: {
      "docker-agent": { ...dockerTool, rewrites: null, metadata: true, importedFailures: "deny", specific: [] },
      autohand: { ...autohandGate, context: "stays" },
    },
  },
  PermissionDenied: {
    ...observer,
    ...toolEvent,
    verdicts: ["continue:false"],
    handlers: ANY_HANDLER,
    specific: ["retry"],
  },
  ToolApprovalDecision: {
    ...dockerOnly,
    ...watcher,
    ...toolEvent,
    overrides: { "docker-agent": { ...dockerTool, ...dockerWatches } },
  },
  /** Before anybody sees what a tool gave: for cutting and blacking out. */
  ToolResponseTransform: {
    ...dockerOnly,
    ...watcher,
    ...toolEvent,
    rewrites: "output",
    order: "sequential",
    overrides: { "docker-agent": dockerTool },
  },
  PostToolUse: {
    ...observer,
    ...toolEvent,
    verdicts: ["block", "continue:false"],
    rewrites: "output",
    context: "stays",
    handlers: ANY_HANDLER,
    specific: ["classifierContext"],
    // Ends the run once all tools of the batch are through.
    overrides: {
      "docker-agent": { ...dockerTool, ...dockerStops },
      agentao: { ...agentaoWatches, subject: "tool_name", verdicts: ["block"], context: "stays" },
      autohand: { rewrites: null, handlers: NO_MODEL, specific: [] },
      openclaw: openclawWatches,
    },
    pages: { "docker-agent": dockerTurnText },
  },
  PostToolUseFailure: {
    ...observer,
    ...toolEvent,
    verdicts: ["block", "continue:false"],
    context: "stays",
    handlers: ANY_HANDLER,
    overrides: {
      agentao: { ...agentaoWatches, subject: "tool_name", verdicts: ["block"], context: "stays" },
    },
  },
  // The tools have run; blocking ends the loop before the next model call.
  PostToolBatch: { ...gate, verdicts: ["block", "continue:false"], context: "stays", onFailure: "continue" },
} as const satisfies Record<string, EventRow>;
