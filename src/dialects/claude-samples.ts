import type { JsonObject } from "../json.ts";
import {
  ANSWER,
  CALL_ID,
  COMMAND,
  CONTENT,
  each,
  FAILURE,
  FILE,
  LISTING,
  MODEL,
  NOTICE,
  type Payloads,
  PROMPT,
  payloadsOf,
  type Samples,
  SESSION_ID,
  SUMMARY,
} from "./samples.ts";

/** Claude Code's payloads, with the fields of its hooks reference. Optional fields are present if they usually are. */

interface Call {
  readonly tool_name: string;
  readonly tool_input: JsonObject;
  readonly tool_response: JsonObject;
}

/** Returns the tool calls of Claude Code, whose payloads contain absolute paths. */
function callsIn(cwd: string): readonly Call[] {
  const path = `${cwd === "/" ? "" : cwd}/${FILE}`;
  const notebook = path.replace(/\.ts$/, ".ipynb");
  const ran = { stdout: LISTING, stderr: "", interrupted: false, isImage: false };
  const task = { description: "Look around", prompt: PROMPT, subagent_type: "Explore" };
  const calls: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ["Bash", { command: COMMAND, description: "List the files" }, ran],
    ["Write", { file_path: path, content: CONTENT }, { type: "create", filePath: path, content: CONTENT }],
    ["Edit", { file_path: path, old_string: "42", new_string: "43", replace_all: false }, { filePath: path }],
    ["Read", { file_path: path }, { type: "text", file: { filePath: path, content: CONTENT } }],
    ["Grep", { pattern: "answer", path: cwd }, { mode: "files_with_matches", filenames: [FILE], numFiles: 1 }],
    ["Glob", { pattern: "src/**/*.ts" }, { filenames: [path], numFiles: 1, truncated: false }],
    ["WebFetch", { url: "https://example.com/", prompt: "What is it about?" }, { result: "An example.", code: 200 }],
    ["WebSearch", { query: "weather" }, { query: "weather", results: [] }],
    ["Agent", task, { content: [{ type: "text", text: ANSWER }] }],
    ["Task", task, { content: [{ type: "text", text: ANSWER }] }],
    ["NotebookEdit", { notebook_path: notebook, new_source: "42" }, { notebook_path: notebook }],
    ["MultiEdit", { file_path: path, edits: [{ old_string: "42", new_string: "43" }] }, { filePath: path }],
    ["LS", { path: cwd }, { content: LISTING }],
    ["PowerShell", { command: "Get-ChildItem" }, ran],
    ["Skill", { skill: "review" }, { success: true }],
    ["ExitPlanMode", { plan: "1. List the files." }, { plan: "1. List the files." }],
    ["TodoWrite", { todos: [{ content: "List the files", status: "pending", activeForm: "Listing" }] }, {}],
  ];
  return calls.map(([tool_name, tool_input, tool_response]) => ({ tool_name, tool_input, tool_response }));
}

const SWITCH = {
  from_model: "other-model-1",
  to_model: "example-model-1",
  requested_model: null,
  source: "command",
  context_tokens: 12_000,
  prompt_cache_warm: true,
  cache_ttl: "5m",
  estimated_cache_write_usd: 0.01,
  pricing: "catalog",
};
const SUBAGENT = { agent_id: "agent-1" };
const TASK = { task_id: "1", task_subject: "List the files", task_description: PROMPT };
const SUBAGENTS = ["Explore", "general-purpose", "Plan"];
const STOPPED = { stop_hook_active: false, last_assistant_message: ANSWER };
const MODES_OF_START = ["startup", "resume", "clear", "compact", "fork"];
const ENDS = ["other", "clear", "resume", "logout", "prompt_input_exit"];
const COMPACTIONS = ["auto", "manual"];
const NOTICES = ["permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog", "agent_completed"];
const ERRORS = ["rate_limit", "server_error", "overloaded", "billing_error", "invalid_request", "unknown"];
const SETTINGS = ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"];
const LOADS = ["session_start", "nested_traversal", "path_glob_match", "include", "compact"];

/** The own fields of each event, without the fields that all events have. */
const EVENTS: Readonly<Record<string, Payloads>> = {
  UserPromptSubmit: [{ prompt: PROMPT }],
  UserPromptExpansion: [
    { expansion_type: "slash_command", command_name: "review", command_args: "", prompt: "/review" },
  ],
  Stop: [STOPPED],
  SubagentStop: each("agent_type", SUBAGENTS, { ...SUBAGENT, agent_transcript_path: "/dev/null", ...STOPPED }),
  SubagentStart: each("agent_type", SUBAGENTS, SUBAGENT),
  StopFailure: each("error", ERRORS, { error_details: FAILURE }),
  MessageDisplay: [{ turn_id: "turn-1", message_id: "message-1", index: 0, final: true, delta: ANSWER }],
  TaskCreated: [TASK],
  TaskCompleted: [TASK],
  TeammateIdle: [{ teammate_name: "explorer", team_name: "example" }],
  SessionStart: each("source", MODES_OF_START, { model: MODEL }),
  Setup: each("trigger", ["init", "maintenance"]),
  SessionEnd: each("reason", ENDS),
  InstructionsLoaded: each("load_reason", LOADS, { file_path: "/project/CLAUDE.md", memory_type: "Project" }),
  ConfigChange: each("source", SETTINGS, { file_path: "/project/.claude/settings.json" }),
  CwdChanged: [{ old_cwd: "/project", new_cwd: "/project/src" }],
  FileChanged: [FILE, ".env", ".envrc"].map((file) => ({ file_path: `/project/${file}`, event: "change" })),
  DirectoryAdded: each("source", ["slash_command", "register_repo_root"], { directory: "/project/lib" }),
  Notification: each("notification_type", NOTICES, { message: NOTICE, title: "Try" }),
  PreCompact: each("trigger", COMPACTIONS, { custom_instructions: "" }),
  PostCompact: each("trigger", COMPACTIONS, { compact_summary: SUMMARY }),
  PreModelSwitch: [SWITCH],
  PostModelSwitch: [SWITCH],
  Elicitation: [{ mcp_server_name: "example", message: "Which one?", mode: "form", requested_schema: {} }],
  ElicitationResult: [{ mcp_server_name: "example", action: "accept", mode: "form", content: {} }],
  WorktreeCreate: [{ name: "try" }],
  WorktreeRemove: [{ worktree_path: "/project/.claude/worktrees/try" }],
};

type Said = (call: Call) => JsonObject;

const asked: Said = ({ tool_name, tool_input }) => ({ tool_name, tool_input });
const identified: Said = (call) => ({ ...asked(call), tool_use_id: CALL_ID });
const answered: Said = (call) => ({ ...identified(call), tool_response: call.tool_response });

const TOOL_EVENTS: Readonly<Record<string, Said>> = {
  PreToolUse: identified,
  PermissionRequest: asked,
  PermissionDenied: (call) => ({ ...identified(call), reason: "denied for a try" }),
  PostToolUse: (call) => ({ ...answered(call), duration_ms: 12 }),
  PostToolUseFailure: (call) => ({ ...identified(call), error: FAILURE, is_interrupt: false, duration_ms: 12 }),
  PostToolBatch: (call) => ({ tool_calls: [answered(call)] }),
};

/** Events within a turn. Their payloads contain `permission_mode`. */
const WITHIN_TURNS: readonly string[] = [
  ...Object.keys(TOOL_EVENTS),
  ...[
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
  ],
];

export const claudeSamples: Samples = (event, cwd) => {
  const common = {
    session_id: SESSION_ID,
    transcript_path: "/dev/null",
    cwd,
    hook_event_name: event,
    prompt_id: "00000000-0000-4000-8000-000000000001",
    ...(WITHIN_TURNS.includes(event) ? { permission_mode: "default" } : {}),
    ...(Object.hasOwn(TOOL_EVENTS, event) ? { effort: { level: "high" } } : {}),
  };
  const said = Object.hasOwn(TOOL_EVENTS, event) ? TOOL_EVENTS[event] : undefined;
  const samples = said === undefined ? payloadsOf(EVENTS, event) : callsIn(cwd).map(said);
  return samples.map((sample) => ({ ...common, ...sample }));
};
