import { agentPayload } from "../../dialects/autohand/spelling.ts";
import type { Activity } from "../../engine/activity.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";

/**
 * Autohand's JSON-RPC notifications about hooks. A listening editor gets a notification for every event, before its
 * hooks run and even if there are none.
 */

/** Returns parameters. `f` is the payload with the agent's field names. A field that is `undefined` is left out. */
type Params = (f: JsonObject, canonical: JsonObject) => Readonly<Record<string, JsonValue | undefined>>;

const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const number = (value: JsonValue | undefined): number => (typeof value === "number" ? value : 0);
const optionalText = (value: JsonValue | undefined): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
};
const optionalNumber = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;
const optionalObject = (value: JsonValue | undefined): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined;

const stop: Params = (f) => ({
  tokensUsed: number(f["tokens_used"]),
  tokensUsageStatus: optionalText(f["tokens_usage_status"]),
  toolCallsCount: number(f["tool_calls_count"]),
  duration: number(f["duration"] ?? f["turn_duration"]),
});
const room: Params = (f) => ({
  usagePercent: number(f["usage_percent"]),
  remainingTokens: number(f["remaining_tokens"]),
});

/** The notifications of each event. The end of a turn also has a notification with its old name. */
const NOTIFICATIONS: Readonly<Record<string, Readonly<Record<string, Params>>>> = {
  PreToolUse: {
    preTool: (f) => ({
      toolId: text(f["tool_use_id"]),
      toolName: text(f["tool_name"]),
      args: optionalObject(f["tool_input"]) ?? {},
    }),
  },
  PostToolUse: {
    postTool: (f) => ({
      toolId: text(f["tool_use_id"]),
      toolName: text(f["tool_name"]),
      success: f["tool_success"] === true,
      duration: number(f["duration"]),
      output: optionalText(f["tool_response"]),
    }),
  },
  FileChanged: {
    fileModified: (f) => ({
      filePath: text(f["file_path"]),
      changeType: text(f["change_type"]),
      toolId: text(f["tool_use_id"]),
    }),
  },
  UserPromptSubmit: {
    prePrompt: (f) => ({
      instruction: text(f["instruction"]),
      mentionedFiles: Array.isArray(f["mentioned_files"]) ? f["mentioned_files"] : [],
    }),
  },
  Stop: { stop, postResponse: stop },
  SessionStart: { sessionStart: (f) => ({ sessionType: text(f["session_type"]) }) },
  SessionEnd: {
    sessionEnd: (f) => ({ reason: text(f["session_end_reason"]), duration: number(f["duration"]) }),
  },
  AgentError: {
    sessionError: (f) => ({
      error: text(f["error"]),
      code: optionalText(f["error_code"]),
      context: optionalObject(f["context"]),
    }),
  },
  RateLimited: {
    rateLimit: (f) => ({
      error: text(f["error"]),
      code: optionalText(f["error_code"]),
      retryAfterMs: optionalNumber(f["retry_after_ms"]),
      httpStatus: optionalNumber(f["http_status"]),
      model: optionalText(f["model"]),
      provider: optionalText(f["provider"]),
    }),
  },
  SubagentStop: {
    subagentStop: (f) => ({
      subagentId: text(f["subagent_id"]),
      subagentName: text(f["subagent_name"]),
      subagentType: text(f["subagent_type"]),
      success: f["subagent_success"] === true,
      duration: number(f["subagent_duration"]),
      error: optionalText(f["subagent_error"]),
    }),
  },
  PermissionRequest: {
    permissionRequest: (f, { tool_input: input }) => {
      const args = optionalObject(f["tool_input"]);
      return {
        tool: text(f["tool_name"]),
        path: optionalText(f["file_path"] ?? args?.["path"]),
        // The notification contains the whole command, because the user is about to approve it.
        command: optionalText(isJsonObject(input) ? input["command"] : undefined),
        args,
      };
    },
  },
  Notification: {
    notification: (f) => ({
      notificationType: text(f["notification_type"]),
      message: text(f["notification_message"]),
    }),
  },
  PostCompact: {
    contextCompacted: (f) => ({
      croppedCount: number(f["cropped_count"]),
      summary: optionalText(f["summary"]),
      usagePercent: number(f["usage_percent"]),
      reason: text(f["context_reason"]),
    }),
  },
  ContextOverflow: {
    contextOverflow: (f) => ({
      tokensBefore: number(f["tokens_before"]),
      tokensAfter: number(f["tokens_after"]),
      croppedCount: number(f["cropped_count"]),
      usagePercent: number(f["usage_percent"]),
    }),
  },
  ContextWarning: { contextWarning: room },
  ContextCritical: { contextCritical: room },
};

/** Returns the notifications for an activity of the engine, in order. Most activities have none. */
export function notificationsFor(activity: Activity, now: () => Date = () => new Date()): readonly JsonObject[] {
  if (activity.type !== "dispatch_started") return [];
  const { event, payload } = activity;
  const methods = Object.hasOwn(NOTIFICATIONS, event) ? NOTIFICATIONS[event] : undefined;
  if (methods === undefined) return [];
  const fields = agentPayload(event, payload);
  const timestamp = now().toISOString();
  return Object.entries(methods).map(([method, params]) => ({
    jsonrpc: "2.0",
    method: `autohand.hook.${method}`,
    params: { ...present(params(fields, payload)), timestamp },
  }));
}

/** Returns a notification as one line, as in JSON-RPC over standard output. */
export function notificationLine(notification: JsonObject): string {
  return `${JSON.stringify(notification)}\n`;
}

function present(params: ReturnType<Params>): JsonObject {
  const entries = Object.entries(params).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
