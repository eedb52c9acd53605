import type { JsonObject } from "../../json.ts";
import {
  ANSWER,
  COMMAND,
  CONTENT,
  FAILURE,
  FILE,
  LISTING,
  type Payloads,
  PROMPT,
  payloadsOf,
  type Samples,
  SESSION_ID,
} from "../samples.ts";

/** Agentao's payloads. Hooks get Claude Code's tool names, and inputs with Agentao's field names. */

const TOOLS: readonly (readonly [string, JsonObject])[] = [
  ["Bash", { command: COMMAND }],
  ["Write", { file_path: FILE, content: CONTENT }],
  ["Edit", { file_path: FILE, old_text: "42", new_text: "43" }],
  ["Read", { file_path: FILE }],
  ["Grep", { pattern: "answer" }],
  ["Glob", { pattern: "src/**/*.ts" }],
  ["LS", { path: "src" }],
  ["WebFetch", { url: "https://example.com/" }],
  ["WebSearch", { query: "weather" }],
  ["SaveMemory", { key: "language", value: "English" }],
  ["AskUser", { question: "Which one?" }],
  ["TodoWrite", { todos: [{ content: "List the files", status: "pending" }] }],
  ["PlanSave", { content: "1. List the files." }],
  ["PlanFinalize", { draft_id: "draft-1" }],
  ["ActivateSkill", { skill_name: "review", task_description: PROMPT }],
];

const called = (more: JsonObject = {}): Payloads =>
  TOOLS.map(([toolName, toolInput]) => ({ toolName, toolInput, ...more, sessionId: SESSION_ID }));

/** Returns the `data` of events with an envelope. */
function enveloped(cwd: string): Readonly<Record<string, Payloads>> {
  const session = { sessionId: SESSION_ID, cwd };
  return {
    UserPromptSubmit: [{ userMessage: PROMPT, ...session }],
    SessionStart: [session],
    SessionEnd: [session],
    PreToolUse: called(),
    PostToolUse: called({ toolOutput: LISTING }),
    PostToolUseFailure: called({ error: FAILURE }),
  };
}

/** Events in Claude Code's flat form. */
const FLAT: Readonly<Record<string, Payloads>> = {
  Stop: [{ stop_hook_active: false, last_assistant_message: ANSWER, turn_end_reason: "final_response" }],
  PreCompact: [
    { trigger: "auto", custom_instructions: "", compaction_type: "full", reason: "compression_threshold" },
    { trigger: "manual", custom_instructions: "", compaction_type: "full", reason: "manual_cli" },
  ],
};

export const agentaoSamples: Samples = (event, cwd) => {
  const common = { session_id: SESSION_ID, transcript_path: null, cwd, permission_mode: "workspace-write" };
  return [
    ...payloadsOf(enveloped(cwd), event).map((data) => ({ event, data })),
    ...payloadsOf(FLAT, event).map((sample) => ({ hook_event_name: event, ...common, ...sample })),
  ];
};
