import type { JsonObject } from "../../event.ts";
import { contractOf } from "../../events/lookup.ts";

/** Made-up events to try a hook with, in canonical words: a hook's own dialect writes them as its agent would. */

const SESSION = { session_id: "hookbox-try", transcript_path: "/dev/null", permission_mode: "default" };

const TOOLS: readonly JsonObject[] = [
  { tool_name: "Bash", tool_input: { command: "ls -l", description: "List the files" } },
  { tool_name: "Write", tool_input: { file_path: "src/example.ts", content: "export const answer = 42;\n" } },
  { tool_name: "Edit", tool_input: { file_path: "src/example.ts", old_string: "42", new_string: "43" } },
  { tool_name: "Read", tool_input: { file_path: "src/example.ts" } },
  { tool_name: "Grep", tool_input: { pattern: "answer", path: "src" } },
  { tool_name: "Glob", tool_input: { pattern: "src/**/*.ts" } },
  { tool_name: "WebFetch", tool_input: { url: "https://example.com/", prompt: "What is it about?" } },
  { tool_name: "WebSearch", tool_input: { query: "weather" } },
  {
    tool_name: "Task",
    tool_input: { description: "Look around", prompt: "List the files", subagent_type: "explorer" },
  },
];

const each = (field: string, values: readonly string[], rest: JsonObject = {}): readonly JsonObject[] =>
  values.map((value) => ({ ...rest, [field]: value }));

/** What tells of a tool call besides the call, by event. */
const TOOL_EVENTS: Readonly<Record<string, JsonObject>> = {
  PreToolUse: {},
  ToolInputTransform: {},
  ToolGuard: {},
  PermissionRequest: {},
  PermissionDenied: { reason: "denied for a try" },
  ToolApprovalDecision: { approval_decision: "allow", approval_source: "try" },
  ToolResponseTransform: { tool_response: "example.ts\n" },
  PostToolUse: { tool_response: "example.ts\n", tool_success: true, duration: 12 },
  PostToolUseFailure: { error: "exit code 1", is_interrupt: false },
  ToolResultPersist: { tool_response: "example.ts\n" },
};

const PROMPT = { prompt: "List the files of this project, please." };
const LEVELS = { notification_type: "error", message: "Something went wrong, for a try" };
const COMPACTION = { custom_instructions: "" };

const OTHERS: Readonly<Record<string, readonly JsonObject[]>> = {
  UserPromptSubmit: [PROMPT],
  UserFollowupSubmit: [PROMPT],
  UserSteeringMessagesSubmit: [{ messages: [PROMPT.prompt] }],
  UserPromptExpansion: [{ ...PROMPT, command_name: "review", command_args: "" }],
  Stop: [{ stop_hook_active: false, last_assistant_message: "Done: there are three files." }],
  SubagentStop: each("agent_type", ["explorer", "general-purpose"], {
    agent_id: "try-1",
    stop_hook_active: false,
    last_assistant_message: "Done.",
  }),
  SubagentStart: each("agent_type", ["explorer", "general-purpose"], { agent_id: "try-1" }),
  StopFailure: each("error", ["rate_limit", "server_error", "unknown"]),
  AfterModelCall: [{ last_assistant_message: "Done." }],
  AgentError: [{ ...LEVELS, error: LEVELS.message }],
  MaxIterations: [LEVELS],
  SessionStart: each("source", ["startup", "resume", "clear", "compact"], { model: "example-model" }),
  SessionEnd: each("reason", ["other", "clear", "logout", "prompt_input_exit", "quit", "exit", "error"], {
    duration: 60_000,
  }),
  Setup: each("trigger", ["init", "maintenance"]),
  Notification: each("notification_type", ["permission_prompt", "idle_prompt", "info", "warning", "error"], {
    message: "Something to tell, for a try",
    title: "Try",
  }),
  PreCompact: each("trigger", ["manual", "auto"], COMPACTION),
  PostCompact: each("trigger", ["manual", "auto"], { compact_summary: "The talk so far, in short." }),
  FileChanged: each("file_path", ["src/example.ts", "lib/example.js", "README.md", ".env"], { change_type: "modify" }),
  CwdChanged: [{ old_cwd: "/", new_cwd: "/tmp" }],
  ConfigChange: each("source", ["user_settings", "project_settings", "local_settings"], { file_path: "settings.json" }),
  InstructionsLoaded: each("load_reason", ["session_start", "include"], { file_path: "AGENTS.md" }),
  DirectoryAdded: each("source", ["user", "settings"]),
  PreModelSwitch: each("to_model", ["example-model"], { from_model: "other-model" }),
  PostModelSwitch: each("to_model", ["example-model"], { from_model: "other-model" }),
  Elicitation: each("mcp_server_name", ["example"], { message: "Which one?" }),
  ElicitationResult: each("mcp_server_name", ["example"], { action: "accept", content: {} }),
  TaskCreated: [{ task_id: "1", task_subject: "List the files" }],
  TaskCompleted: [{ task_id: "1", task_subject: "List the files" }],
  TeammateIdle: [{ teammate_name: "explorer", team_name: "example" }],
  WorktreeCreate: [{ name: "try" }],
  WorktreeRemove: [{ worktree_path: "/tmp/try" }],
};

/** Samples of an event, the most usual first, and those that a matcher asks for by name. */
export function samplesOf(event: string, dialect: string, matcher: string | null, cwd: string): readonly JsonObject[] {
  const common = { ...SESSION, cwd, hook_event_name: event };
  const more = TOOL_EVENTS[event];
  const samples =
    more === undefined ? (OTHERS[event] ?? [{}]) : TOOLS.map((tool) => ({ ...tool, tool_use_id: "try-1", ...more }));
  const subject = contractOf(event, dialect)?.subject ?? null;
  const field = typeof subject === "string" ? subject : subject?.[0];
  const named = field === undefined ? [] : wordsOf(matcher).map((word) => ({ ...samples[0], [field]: word }));
  return [...samples, ...named].map((sample) => ({ ...common, ...sample }));
}

/** Names in a matcher: alternatives of a list, without the marks of a pattern. */
function wordsOf(matcher: string | null): readonly string[] {
  return (matcher ?? "")
    .split(/[|,()]/)
    .map((word) =>
      word
        .trim()
        .replace(/^\^|\$$/g, "")
        .replace(/\.\*|\.\+|\*/g, "example")
        .replace(/\\(.)/g, "$1"),
    )
    .filter((word) => word !== "");
}
