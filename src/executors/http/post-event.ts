import { callersEnvironment } from "../../caller.ts";
import type { ErrorCode, Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { HttpClient } from "../../net/http-client.ts";
import { checkTarget } from "../../net/target.ts";
import type { Failure, RunResult } from "../../outcome.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { eventText } from "../event-text.ts";
import { replyExcess } from "../reply-limit.ts";
import { prepareHeaders } from "./header-variables.ts";
import { hintForRefusal } from "./refusal-hint.ts";

/** The part of the HTTP executor that only processes with web hooks load. */

export type HttpHandler = HandlerOf<"http">;

export const openClient = (): HttpClient => new HttpClient();

/** Returns the problems of a rule that are known before its first event. */
export function problemsOf(rule: Rule, handler: HttpHandler): readonly Problem[] {
  const place = rule.place === undefined ? {} : { place: rule.place };
  const problem = (code: ErrorCode, message: string, hint: string | undefined): Problem => ({
    severity: "error",
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...place,
  });
  const target = checkTarget(handler.url, handler);
  const headers = prepareHeaders(handler.headers, handler.allowedEnvVars, callersEnvironment());
  return [
    ...(target.ok ? [] : [problem("HOOK_HTTP_URL", target.message, hintForRefusal(target.message, rule, handler))]),
    ...(headers.ok ? [] : [problem("HOOK_HTTP_HEADER", headers.message, undefined)]),
  ];
}

/** Sends the event to the rule's URL in the rule's dialect, and reads the response in that dialect. */
export async function postEvent(
  client: HttpClient,
  rule: Rule,
  handler: HttpHandler,
  event: HookEvent,
  stop: StopSignal,
): Promise<RunResult> {
  const begun = performance.now();
  const encoded = eventText(rule, event);
  if (!encoded.ok) return { ok: false, failure: encoded.failure, receipt: { micros: 0 } };
  const body = encoded.text;
  const inputBytes = Buffer.byteLength(body);
  const receipt = (outputBytes?: number): RunResult["receipt"] => ({
    micros: Math.round((performance.now() - begun) * 1_000),
    inputBytes,
    ...(outputBytes === undefined ? {} : { outputBytes }),
  });
  const failed = (failure: Failure, outputBytes?: number): RunResult => ({
    ok: false,
    failure,
    receipt: receipt(outputBytes),
  });

  const prepared = prepareHeaders(handler.headers, handler.allowedEnvVars, callersEnvironment());
  if (!prepared.ok) return failed({ kind: "capability", code: "HOOK_HTTP_HEADER", message: prepared.message });
  const { url, network, allowedUrls } = handler;
  const posted = await client.post({ url, network, allowedUrls, body, headers: prepared.headers }, stop);
  if (!posted.ok) return failed(explained(posted.failure, rule, handler));

  const { answer } = posted;
  const outputBytes = answer.body.byteLength;
  const text = utf8Text(answer.body);
  if (text === undefined) return failed({ kind: "invalid-output", message: "the answer is not UTF-8" }, outputBytes);
  const excess = replyExcess(text, "the JSON of the answer");
  if (excess !== undefined) return { ...failed(excess, outputBytes), output: text };
  const decoded = rule.codec.decodeHttpReply(
    { status: answer.status, contentType: mediaType(answer.headers["content-type"]), body: text },
    event,
    { failsClosed: rule.onFailure === "block", hook: rule.name, strict: rule.strict, compat: rule.compat },
  );
  if (!decoded.ok) return { ...failed(decoded.failure, outputBytes), output: text };
  const ignored = [
    ...prepared.ignored.map((name) => `header ${JSON.stringify(name)}: not the rule's to set`),
    ...(decoded.ignored ?? []),
  ];
  return {
    ok: true,
    reply: decoded.reply,
    receipt: receipt(outputBytes),
    output: text,
    ...(ignored.length === 0 ? {} : { ignored }),
  };
}

function explained(failure: Failure, rule: Rule, handler: HttpHandler): Failure {
  if (failure.kind !== "capability") return failure;
  const hint = hintForRefusal(failure.message, rule, handler);
  const message = hint === undefined ? failure.message : `${failure.message} (${hint})`;
  return { ...failure, code: "HOOK_HTTP_URL", message };
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function utf8Text(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function mediaType(header: string | undefined): string {
  return (header ?? "").replace(/;.*$/s, "").trim().toLowerCase();
}
