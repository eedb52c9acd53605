import { describe, expect, test } from "vitest";
import { notificationLine, notificationsFor } from "../../../src/hosts/autohand/index.ts";
import type { JsonObject } from "../../../src/json.ts";
import { hosted, NOW } from "./hosted.ts";

const timestamp = NOW.toISOString();
const stop = { tokensUsed: 9, tokensUsageStatus: "actual", toolCallsCount: 2, duration: 30 };

/** The event, its fields in the agent's format, and each notification: method and parameters. */
const TABLE: readonly (readonly [string, JsonObject, Readonly<Record<string, JsonObject>>])[] = [
  [
    "pre-tool",
    { tool_use_id: "c1", tool_name: "write_file", tool_input: { path: "a" } },
    { preTool: { toolId: "c1", toolName: "write_file", args: { path: "a" } } },
  ],
  [
    "pre-tool",
    { tool_name: "run_command", tool_input: { command: "rm", args: ["a b"] } },
    { preTool: { toolId: "", toolName: "run_command", args: { command: "rm", args: ["a b"] } } },
  ],
  [
    "post-tool",
    { tool_use_id: "c1", tool_name: "read_file", tool_success: true, duration: 4, tool_response: "text" },
    { postTool: { toolId: "c1", toolName: "read_file", success: true, duration: 4, output: "text" } },
  ],
  [
    "post-tool",
    { tool_name: "read_file", tool_success: false },
    { postTool: { toolId: "", toolName: "read_file", success: false, duration: 0 } },
  ],
  [
    "file-modified",
    { file_path: "a", change_type: "create", tool_use_id: "c1" },
    { fileModified: { filePath: "a", changeType: "create", toolId: "c1" } },
  ],
  [
    "file-modified",
    { file_path: "a", change_type: "delete" },
    { fileModified: { filePath: "a", changeType: "delete", toolId: "" } },
  ],
  [
    "pre-prompt",
    { instruction: "go", mentioned_files: ["a"] },
    { prePrompt: { instruction: "go", mentionedFiles: ["a"] } },
  ],
  ["pre-prompt", { instruction: "go" }, { prePrompt: { instruction: "go", mentionedFiles: [] } }],
  [
    "stop",
    { tokens_used: 9, tokens_usage_status: "actual", tool_calls_count: 2, duration: 30 },
    { stop, postResponse: stop },
  ],
  [
    "post-response",
    {},
    {
      stop: { tokensUsed: 0, toolCallsCount: 0, duration: 0 },
      postResponse: { tokensUsed: 0, toolCallsCount: 0, duration: 0 },
    },
  ],
  ["session-start", { session_type: "resume" }, { sessionStart: { sessionType: "resume" } }],
  ["session-end", { session_end_reason: "quit", duration: 7 }, { sessionEnd: { reason: "quit", duration: 7 } }],
  [
    "session-error",
    { error: "boom", error_code: "E1", context: { at: 1 } },
    { sessionError: { error: "boom", code: "E1", context: { at: 1 } } },
  ],
  ["session-error", {}, { sessionError: { error: "" } }],
  [
    "rate-limit",
    { error: "slow", error_code: "429", retry_after_ms: 5, http_status: 429, model: "m", provider: "p" },
    { rateLimit: { error: "slow", code: "429", retryAfterMs: 5, httpStatus: 429, model: "m", provider: "p" } },
  ],
  [
    "subagent-stop",
    { subagent_id: "1", subagent_name: "n", subagent_type: "t", subagent_success: true, subagent_duration: 8 },
    { subagentStop: { subagentId: "1", subagentName: "n", subagentType: "t", success: true, duration: 8 } },
  ],
  [
    "subagent-stop",
    { subagent_success: false, subagent_error: "lost" },
    {
      subagentStop: { subagentId: "", subagentName: "", subagentType: "", success: false, duration: 0, error: "lost" },
    },
  ],
  [
    "permission-request",
    { tool_name: "run_command", tool_input: { command: "ls", args: ["-l"] } },
    { permissionRequest: { tool: "run_command", command: "ls -l", args: { command: "ls", args: ["-l"] } } },
  ],
  [
    "permission-request",
    { tool_name: "read_file", file_path: "/etc/hosts" },
    { permissionRequest: { tool: "read_file", path: "/etc/hosts" } },
  ],
  [
    "notification",
    { notification_type: "idle", notification_message: "m" },
    { notification: { notificationType: "idle", message: "m" } },
  ],
  [
    "context:compact",
    { cropped_count: 2, summary: "s", usage_percent: 50, context_reason: "full" },
    { contextCompacted: { croppedCount: 2, summary: "s", usagePercent: 50, reason: "full" } },
  ],
  [
    "context:overflow",
    { tokens_before: 9, tokens_after: 4, cropped_count: 1, usage_percent: 44 },
    { contextOverflow: { tokensBefore: 9, tokensAfter: 4, croppedCount: 1, usagePercent: 44 } },
  ],
  [
    "context:warning",
    { usage_percent: 80, remaining_tokens: 10 },
    { contextWarning: { usagePercent: 80, remainingTokens: 10 } },
  ],
  ["context:critical", {}, { contextCritical: { usagePercent: 0, remainingTokens: 0 } }],
  ["mode-change", {}, {}],
  ["automode:start", { automode_prompt: "go" }, {}],
];

test("AH-19: every event sends its notifications once, with exactly these parameters", async () => {
  const { host, notifications } = await hosted([]);
  for (const [event, context, methods] of TABLE) {
    notifications.length = 0;
    await host.fire(event, context);
    expect({ event, notifications }).toEqual({
      event,
      notifications: Object.entries(methods).map(([method, params]) => ({
        jsonrpc: "2.0",
        method: `autohand.hook.${method}`,
        params: { ...params, timestamp },
      })),
    });
  }
});

describe("listeners are notified", () => {
  test("before the hooks run", async () => {
    const seen: string[] = [];
    const { host, read } = await hosted([{ event: "stop", command: "echo ran > ran" }], {
      onNotification: ({ method }) => void seen.push(`${method} ${read("ran")}`),
    });
    await host.fire("stop");
    expect(seen).toEqual(["autohand.hook.stop undefined", "autohand.hook.postResponse undefined"]);
    expect(read("ran")).toBe("ran\n");
  });

  test("even if hooks are switched off", async () => {
    const { host, heard, read } = await hosted(
      [{ event: "notification", command: "echo ran > ran" }],
      {},
      { enabled: false },
    );
    await host.fire("notification", { notification_type: "idle" });
    expect(heard()).toEqual([["autohand.hook.notification", { notificationType: "idle", message: "" }]]);
    expect(read("ran")).toBeUndefined();
  });

  test("and their failures have no effect", async () => {
    const { host } = await hosted([{ event: "pre-tool", command: "exit 2" }], {
      onNotification: () => {
        throw new Error("the editor is gone");
      },
    });
    expect(await host.fire("pre-tool", { tool_name: "run_command" })).toMatchObject({ decision: "deny" });
  });
});

test("only the start of a dispatch sends notifications, each on one line", () => {
  const about = { event: "Stop", payload: { hook_event_name: "Stop" }, matchedRules: 1 } as const;
  expect(notificationsFor({ type: "dispatch_finished", ...about, verdict: {} as never })).toEqual([]);
  expect(notificationsFor({ type: "dispatch_started", ...about, event: "toString" })).toEqual([]);
  const [first] = notificationsFor({ type: "dispatch_started", ...about }, () => NOW);
  expect(notificationLine(first!)).toMatch(/^\{"jsonrpc":"2\.0","method":"autohand\.hook\.stop",.*\}\n$/);
});
