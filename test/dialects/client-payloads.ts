import type { JsonObject } from "../../src/json.ts";

/** What agents send to a hook: recorded from real clients, and from their pages for dialects that were not run. */

export interface Sender {
  readonly name: string;
  /** The dialect that must recognise the payloads; `null` if none. */
  readonly dialect: string | null;
  readonly payloads: readonly JsonObject[];
}

const command = "git push --force";
const cwd = "/home/ann/shop";
const UUID = "3f2b8c1e-7c3b-4c57-9a34-2f0a8f2b0a11";

/** Returns each event of one client: the common fields, and those of the event. */
const events = (common: JsonObject, each: Readonly<Record<string, JsonObject>>): readonly JsonObject[] =>
  Object.entries(each).map(([hook_event_name, more]) => ({ ...common, hook_event_name, ...more }));

const claude = { session_id: UUID, transcript_path: `/home/ann/.claude/projects/shop/${UUID}.jsonl`, cwd };
const codex = {
  session_id: UUID,
  turn_id: "t1",
  transcript_path: "/home/ann/.codex/sessions/1.jsonl",
  cwd,
  model: "m",
  permission_mode: "default",
};
const qwen = {
  session_id: UUID,
  transcript_path: "/home/ann/.qwen/tmp/1.jsonl",
  cwd,
  timestamp: "2026-11-23T12:00:00.000Z",
};
const gemini = { ...qwen, transcript_path: "/home/ann/.gemini/tmp/1.json" };
const pascal = { session_id: UUID, timestamp: "2026-11-23T12:00:00.000Z", cwd };
const camel = { sessionId: UUID, timestamp: 1795427211332, cwd };
const kimi = { session_id: "session_1", cwd, client_type: "kimi_code_cli" };
const bash = { tool_name: "Bash", tool_input: { command, description: "d" } };
const own = { tool_name: "run_shell_command", tool_input: { command, description: "d", is_background: false } };

export const SENDERS: readonly Sender[] = [
  {
    name: "Claude Code 2.1.330",
    dialect: "claude-code",
    payloads: events(
      { ...claude, prompt_id: UUID, permission_mode: "default", effort: { level: "high" } },
      {
        PreToolUse: { ...bash, tool_use_id: "toolu_1" },
        PostToolUse: { ...bash, tool_use_id: "toolu_1", tool_response: { stdout: "" }, duration_ms: 4 },
        UserPromptSubmit: { prompt: "Do it." },
        Stop: { stop_hook_active: false, last_assistant_message: "Done." },
      },
    ),
  },
  {
    name: "Claude Code before 2.1.196",
    dialect: "claude-code",
    payloads: events(claude, {
      PreToolUse: { ...bash, permission_mode: "default", tool_use_id: "toolu_1" },
      SessionStart: { source: "startup", model: "m" },
      Notification: { message: "Waiting", notification_type: "idle_prompt" },
    }),
  },
  {
    name: "Codex",
    dialect: null,
    payloads: events(codex, {
      PreToolUse: { ...bash, tool_use_id: "call_1" },
      PostToolUse: { ...bash, tool_use_id: "call_1", tool_response: "ok" },
      UserPromptSubmit: { prompt: "Do it." },
      Stop: { stop_hook_active: false, last_assistant_message: "Done." },
    }),
  },
  {
    name: "Qwen Code",
    dialect: null,
    payloads: events(qwen, {
      PreToolUse: { ...own, prompt_id: `${UUID}########0`, tool_use_id: "toolu_1", tool_call_id: "call_1" },
      UserPromptSubmit: { prompt: "Do it.", submitted_prompt: "Do it." },
      Stop: { stop_hook_active: false, last_assistant_message: "Done." },
    }),
  },
  {
    name: "Kimi Code",
    dialect: null,
    payloads: events(kimi, {
      PreToolUse: { ...bash, tool_call_id: "call_1" },
      UserPromptSubmit: { prompt: [{ type: "text", text: "Do it." }], is_steer: false },
      Stop: { stop_hook_active: false },
    }),
  },
  {
    name: "Gemini CLI",
    dialect: null,
    payloads: events(gemini, {
      BeforeTool: own,
      AfterAgent: { prompt: "Do it." },
      SessionStart: { source: "startup" },
    }),
  },
  {
    name: "Copilot CLI in Claude Code's form",
    dialect: null,
    payloads: events(pascal, { PreToolUse: bash, UserPromptSubmit: { prompt: "Do it." } }),
  },
  {
    name: "Copilot CLI in its own form",
    dialect: null,
    payloads: [
      { ...camel, toolName: "bash", toolArgs: { command } },
      { ...camel, prompt: "Do it." },
    ],
  },
  {
    name: "docker-agent",
    dialect: "docker-agent",
    payloads: events(
      { session_id: "9a2", cwd },
      {
        pre_tool_use: { agent_name: "root", tool_name: "shell", tool_input: { cmd: command }, tool_use_id: "call_7" },
        stop: { agent_name: "root", stop_response: "Done.", last_user_message: "Do it." },
        notification: { notification_level: "warning", notification_message: "m" },
      },
    ),
  },
  {
    name: "Agentao",
    dialect: "agentao",
    payloads: [
      { event: "PreToolUse", data: { toolName: "Bash", toolInput: { command }, sessionId: "ao-3" } },
      ...events({ session_id: "ao-3", transcript_path: null, cwd }, { Stop: { turn_end_reason: "final_response" } }),
    ],
  },
  {
    name: "Autohand",
    dialect: "autohand",
    payloads: events(
      { session_id: "ah-1", cwd },
      {
        "pre-tool": { tool_name: "run_command", tool_input: { command }, tool_use_id: "t1" },
        stop: { tokens_used: 12, tool_calls_count: 1, turn_duration: 80 },
        notification: { notification_type: "done", notification_message: "m" },
      },
    ),
  },
  {
    name: "OpenClaw",
    dialect: "openclaw",
    payloads: [
      {
        hook: "before_tool_call",
        event: { toolName: "exec", params: { command }, runId: "r1", toolCallId: "c1" },
        ctx: { agentId: "main" },
      },
    ],
  },
];
