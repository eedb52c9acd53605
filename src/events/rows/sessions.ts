import type { EventRow } from "../contract.ts";
import {
  agentaoWatches,
  dockerAndOpenclaw,
  dockerOnly,
  dockerStops,
  dockerTurnText,
  dockerWatches,
  gate,
  LOCAL_ONLY,
  NO_MODEL,
  observer,
  openclawWatches,
  watcher,
} from "./kinds.ts";

/** Events of a session: start, end, settings, files, compaction. */
export const SESSION_EVENTS = {
  SessionStart: {
    ...observer,
    subject: "source",
    verdicts: ["continue:false"],
    context: "stays",
    plainTextIsContext: true,
    handlers: LOCAL_ONLY,
    specific: ["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
    overrides: {
      "docker-agent": {
        ...dockerWatches,
        context: "stays",
        plainTextIsContext: true,
        specific: ["instructionContext"],
      },
      agentao: { ...agentaoWatches, context: "stays" },
      autohand: { subject: ["source"], plainTextIsContext: false, specific: [] },
      openclaw: openclawWatches,
    },
  },
  Setup: { ...observer, subject: "trigger", verdicts: ["continue:false"], context: "stays", handlers: LOCAL_ONLY },
  SessionResume: { ...dockerOnly, ...watcher },
  SessionEnd: {
    ...observer,
    subject: "reason",
    survivesCancellation: true,
    overrides: {
      agentao: agentaoWatches,
      autohand: { subject: ["reason"] },
    },
  },

  InstructionsLoaded: { ...observer, subject: "load_reason" },
  ConfigChange: { ...gate, subject: "source", verdicts: ["block"], handlers: NO_MODEL },
  CwdChanged: { ...observer, specific: ["watchPaths"] },
  FileChanged: {
    ...observer,
    subject: "file_path",
    subjectForm: "basename",
    matcherStyle: "narrow",
    specific: ["watchPaths"],
    // In Autohand the filter tests paths, and a matcher has no effect.
    overrides: { autohand: { subject: null, matcherStyle: "unanchored", specific: [] } },
  },
  DirectoryAdded: { ...observer, subject: "source" },
  Notification: {
    ...observer,
    subject: "notification_type",
    overrides: { autohand: { subject: ["notification_type"] } },
  },

  // A session with a full context ends unless it is compacted, so a failure must not block compaction.
  PreCompact: {
    ...gate,
    subject: "trigger",
    verdicts: ["block"],
    onFailure: "continue",
    handlers: NO_MODEL,
    overrides: {
      "docker-agent": { ...dockerStops, ...dockerTurnText },
      agentao: { ...agentaoWatches, subject: "trigger", matcherStyle: "anchored" },
    },
  },
  /** Sent before compaction. A hook may replace the model's summary. */
  BeforeCompaction: {
    ...dockerAndOpenclaw,
    ...gate,
    verdicts: ["block", "continue:false"],
    rewrites: "summary",
    onFailure: "continue",
    overrides: { openclaw: openclawWatches },
  },
  AfterCompaction: { ...dockerAndOpenclaw, ...watcher },
  PostCompact: { ...observer, subject: "trigger", overrides: { autohand: { subject: null } } },

  PreModelSwitch: {
    ...gate,
    subject: "to_model",
    subjectForm: "model",
    failuresDeny: ["timeout"],
    verdicts: ["allow", "deny", "ask", "continue:false"],
    handlers: NO_MODEL,
  },
  PostModelSwitch: {
    ...observer,
    subject: "to_model",
    subjectForm: "model",
    verdicts: ["continue:false"],
    context: "stays",
    plainTextIsContext: true,
  },
  Elicitation: {
    ...gate,
    subject: "mcp_server_name",
    verdicts: ["block"],
    handlers: NO_MODEL,
    specific: ["action", "content"],
  },
  ElicitationResult: {
    ...gate,
    subject: "mcp_server_name",
    verdicts: ["block"],
    handlers: NO_MODEL,
    specific: ["action", "content"],
  },
  WorktreeCreate: {
    ...gate,
    verdicts: ["block"],
    failuresDeny: ["exit"],
    handlers: NO_MODEL,
    specific: ["worktreePath"],
    overrides: { "docker-agent": { ...dockerStops, ...dockerTurnText } },
  },
  WorktreeRemove: observer,
} as const satisfies Record<string, EventRow>;
