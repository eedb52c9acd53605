import type { HookContext, HookEventData } from "./plugin-entry.ts";

/** Fields of an event that are copied to the context if the context lacks them. */
const CORRELATED = ["runId", "jobId", "sessionKey", "sessionId", "agentId", "messageId", "senderId"] as const;
const TRACED = ["traceId", "spanId", "parentSpanId", "callDepth"] as const;

/** Returns the event as handlers see it. OpenClaw's page includes `runId` in these two events if the run is known. */
export function completeEvent(hook: string, event: HookEventData, { runId }: HookContext): HookEventData {
  const isNamed = hook === "before_agent_start" || hook === "agent_end";
  return isNamed && runId !== undefined && event["runId"] === undefined ? { ...event, runId } : event;
}

/** Returns the context as handlers see it: frozen, with missing ids copied from the event or the trace. */
export function completeContext(event: HookEventData, ctx: HookContext = {}): HookContext {
  const trace = typeof ctx.trace === "object" && ctx.trace !== null ? ctx.trace : {};
  const missing = (names: readonly string[], source: HookEventData): [string, unknown][] =>
    names.filter((name) => ctx[name] === undefined && source[name] !== undefined).map((name) => [name, source[name]]);
  return Object.freeze({ ...Object.fromEntries([...missing(CORRELATED, event), ...missing(TRACED, trace)]), ...ctx });
}

/** Returns the context of one handler. Its signal aborts with the run, and at the handler's timeout. */
export function withSignal(ctx: HookContext, timeUp: AbortSignal): HookContext {
  const { abortSignal } = ctx;
  return Object.freeze({
    ...ctx,
    abortSignal: abortSignal === undefined ? timeUp : AbortSignal.any([abortSignal, timeUp]),
  });
}
