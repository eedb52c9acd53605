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

/** Events of a tool call, from its input to its result. */
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
      // An "allow" does not override Agentao's own permissions.
      agentao: {
        ...agentaoEvent,
        subject: "tool_name",
        verdicts: ["deny", "ask", "continue:false"],
        plainTextIsContext: true,
      },
      autohand: autohandGate,
      // OpenClaw asks hooks by priority until the first refusal. `params` is a patch. A failed handler refuses.
      openclaw: {
        verdicts: ["allow", "deny", "ask", "continue:false"],
        rewriteMode: "patch",
        context: null,
        order: "sequential",
        endsAt: "refusal",
        failsClosed: true,
      },
    },
    // According to docker-agent's documentation, the agent logs other exit codes and goes on. In the preempt lane a
    // crash refuses, and an `ask` goes to the user directly.
    pages: { "docker-agent": { rewriteMode: "replace", failuresGoOn: ["exit"], yieldsToQuestion: true } },
  },
  /** Sent before any rule, classifier or user sees the call, also if everything is allowed. */
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
  /** Sent for every call, also for calls that are already allowed. A rule without an answer must not let one pass. */
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
    // In docker-agent this event does not fail closed, but a failed hook must not replace the user's consent.
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
  /** Sent before the model or the user sees a tool's result, so that hooks can shorten or redact it. */
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
    // A block ends the run after all tools of the batch have finished.
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
  // The tools have already run. A block ends the loop before the next model call.
  PostToolBatch: { ...gate, verdicts: ["block", "continue:false"], context: "stays", onFailure: "continue" },
} as const satisfies Record<string, EventRow>;
