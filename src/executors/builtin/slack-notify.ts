import { basename } from "node:path";
import type { JsonObject } from "../../event.ts";
import { redactSecrets } from "../../secrets/redact.ts";
import { cleanLine } from "../../text.ts";
import { type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";

const VARIABLE = "SLACK_WEBHOOK_URL";
const MAX_FIELD = 300;

/** Tells a channel that the agent is done: project, duration, tokens, calls of tools. Silent without an address. */
export const slackNotify: BuiltinHook = {
  run: async (call) => {
    const url = call.env[VARIABLE] ?? "";
    if (url === "") return silent();
    // The address is a secret: whoever has it can write into the channel. It is in no message.
    if (!/^https:\/\//i.test(url)) return silent(`nothing was sent: ${VARIABLE} does not begin with https:`);
    const posted = await call.tools.post({ url, body: JSON.stringify({ text: textOf(call) }) });
    if (!posted.ok) return silent(`Slack was not told: ${posted.failure.message.replaceAll(url, VARIABLE)}`);
    const { status } = posted.answer;
    return status >= 200 && status < 300 ? silent() : silent(`Slack was not told: it answered with status ${status}`);
  },
};

function textOf({ event, workingDir }: BuiltinCall): string {
  const { payload } = event;
  const duration = milliseconds(payload);
  const { tokens_used: tokens, tool_calls_count: calls, message, session_end_reason: reason } = payload;
  const facts = [
    ...(duration === undefined ? [] : [`Duration: ${readableDuration(duration)}`]),
    ...(typeof tokens === "number" ? [`Tokens: ${tokens}`] : []),
    ...(typeof calls === "number" ? [`Tool calls: ${calls}`] : []),
    ...(typeof message === "string" ? [`Message: ${message}`] : []),
    ...(typeof reason === "string" ? [`Reason: ${reason}`] : []),
  ];
  const head = `${basename(workingDir)}: ${event.name === "Notification" ? "notification" : "the agent is done"}`;
  return [head, ...facts].map((line) => escaped(cleanLine(redactSecrets(line), MAX_FIELD))).join("\n");
}

function milliseconds({ turn_duration: turn, duration, duration_ms: tool }: JsonObject): number | undefined {
  return [turn, duration, tool].find((value): value is number => typeof value === "number" && value >= 0);
}

export function readableDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Otherwise a name could mention everybody in the channel, or pass for a link. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
