import { basename } from "node:path";
import { callersEnvironment } from "../../caller.ts";
import type { JsonObject } from "../../json.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import { redactSecrets } from "../../secrets/redact.ts";
import { cleanLine } from "../../text.ts";
import { type BuiltinCall, type BuiltinHook, failed, silent } from "./builtin.ts";

const VARIABLE = "SLACK_WEBHOOK_URL";
const MAX_FIELD = 300;

/**
 * Tells a channel that the agent has finished: project, duration, tokens, tool calls. Does nothing if the variable is
 * not set. Any other missing message is a failure, so that the user sees it.
 */
export const slackNotify: BuiltinHook = {
  run: async (call) => {
    const url = call.env[VARIABLE] ?? "";
    if (url === "") return isWithheld(call) ? failed("capability", WITHHELD) : silent();
    // Messages omit the address, because anyone who knows it can write to the channel.
    if (!/^https:\/\//i.test(url))
      return failed("capability", `nothing was sent: ${VARIABLE} does not begin with https:`);
    const posted = await call.tools.post({ url, body: JSON.stringify({ text: textOf(call) }) });
    if (!posted.ok) {
      const { kind, message } = posted.failure;
      return failed(kind, `the message could not be sent to Slack: ${message.replaceAll(url, VARIABLE)}`);
    }
    const { status } = posted.answer;
    if (status >= 200 && status < 300) return silent();
    return failed("unavailable", `the message could not be sent to Slack: it answered with status ${status}`);
  },
};

const WITHHELD = `nothing was sent: hooks in a project's file do not get ${VARIABLE}; move the hook to a file of your own`;

function isWithheld({ layer }: BuiltinCall): boolean {
  return mayComeWithRepository(layer) && (callersEnvironment()[VARIABLE] ?? "") !== "";
}

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

/** Escapes a text, so that a name cannot mention the whole channel or look like a link. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
