import type { HookContext, HookEventData } from "./plugin-entry.ts";

/** What names a run or a message in the event names it in the context as well. */
const CORRELATED = ["runId", "jobId", "sessionKey", "sessionId", "agentId", "messageId", "senderId"] as const;
const TRACED = ["traceId", "spanId", "parentSpanId", "callDepth"] as const;

/** The event as handlers see it: OpenClaw's page has the run's id in these two as well, where the run is known. */
export function completeEvent(hook: string, event: HookEventData, { runId }: HookContext): HookEventData {
  const isNamed = hook === "before_agent_start" || hook === "agent_end";
  return isNamed && runId !== undefined && event["runId"] === undefined ? { ...event, runId } : event;
}

/** The context as handlers see it: frozen, with the names filled in that only the event or the trace has. */
export function completeContext(event: HookEventData, ctx: HookContext = {}): HookContext {
  const trace = typeof ctx.trace === "object" && ctx.trace !== null ? ctx.trace : {};
  const missing = (names: readonly string[], source: HookEventData): [string, unknown][] =>
    names.filter((name) => ctx[name] === undefined && source[name] !== undefined).map((name) => [name, source[name]]);
  return Object.freeze({ ...Object.fromEntries([...missing(CORRELATED, event), ...missing(TRACED, trace)]), ...ctx });
}

/** The context of one handler: aborted with the run, and when the handler's time is up. */
export function withSignal(ctx: HookContext, timeUp: AbortSignal): HookContext {
  const { abortSignal } = ctx;
  return Object.freeze({
    ...ctx,
    abortSignal: abortSignal === undefined ? timeUp : AbortSignal.any([abortSignal, timeUp]),
  });
}
