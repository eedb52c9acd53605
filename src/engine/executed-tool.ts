import { describeThrown } from "../errors.ts";
import type { ApprovalChain } from "../events/approval-chain.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { excessOfValue } from "../json-bounds.ts";
import type { Verdict } from "../verdict.ts";
import { PART_BOUNDS } from "./call-copy.ts";
import type { CallJournal } from "./call-journal.ts";
import type { ToolCallHost, ToolCallPhase, ToolCallResult } from "./tool-call-host.ts";

interface CallDispatchOptions {
  readonly signal?: AbortSignal;
  readonly lane?: "preempt" | "default";
  readonly only?: "sync" | "async";
  readonly patienceMs?: number;
  readonly secondLook?: boolean;
}

export type Dispatch = (eventName: string, payload: JsonObject, options: CallDispatchOptions) => Promise<Verdict>;

/** Patience for rules that observe a cancelled call, in milliseconds. Includes half a second for delivery. */
export const LAST_WORDS_MS = 2_000;

interface Execution {
  readonly host: ToolCallHost;
  readonly chain: ApprovalChain;
  readonly dispatch: Dispatch;
  readonly journal: CallJournal;
  readonly signal: AbortSignal;
  /** The approved input. The object is frozen, so that the tool runs with exactly this input. */
  readonly input: JsonObject;
  payload(more: JsonObject): JsonObject;
}

type Executed = Pick<ToolCallResult, "outcome" | "executed"> & Partial<Pick<ToolCallResult, "output" | "error">>;

/** Runs the second half of a call: the tool, the rules that change its response, and the rules that observe it. */
export async function executeTool(execution: Execution): Promise<Executed> {
  const { host, chain, signal, input, payload } = execution;
  const startedAt = performance.now();
  const ran = await runTool(host, input, signal);
  const duration = { duration_ms: Math.round(performance.now() - startedAt) };
  const failure = (response: JsonValue): JsonObject =>
    chain.failureEvent === "PostToolUse" ? { tool_response: response, tool_error: true } : { error: textOf(response) };

  if (ran.threw && signal.aborted) {
    const last = payload({ ...failure(ran.response), is_interrupt: true, ...duration });
    await dispatchAfter(execution, "post-tool-use", chain.failureEvent, last, { patienceMs: LAST_WORDS_MS });
    return { outcome: "cancelled", executed: true };
  }

  const raw = payload({ tool_response: ran.response, ...(ran.threw ? { tool_error: true } : {}) });
  const transformed = await dispatchAfter(execution, "response-transform", "ToolResponseTransform", raw, { signal });
  // A response whose transform was cancelled is not returned, because the response may contain what a rule would
  // remove.
  if (transformed.cancelled) return { outcome: "cancelled", executed: true };
  const response = transformed.updatedOutput ?? ran.response;

  const event = ran.threw ? chain.failureEvent : "PostToolUse";
  const eventPayload = payload({ ...(ran.threw ? failure(response) : { tool_response: response }), ...duration });
  const after = await dispatchAfter(execution, "post-tool-use", event, eventPayload, { signal });
  if (chain.blockStops === true && after.decision === "block") execution.journal.stop(after.reason);
  const final = after.updatedOutput ?? response;
  return ran.threw
    ? { outcome: "failed", executed: true, error: textOf(final) }
    : { outcome: "ran", executed: true, output: final };
}

async function runTool(
  host: ToolCallHost,
  input: JsonObject,
  signal: AbortSignal,
): Promise<{ readonly threw: boolean; readonly response: JsonValue }> {
  try {
    const response = (await host.execute(input, { signal })) ?? null;
    // A response over the limit is not returned, because no rule could inspect it.
    const excess = excessOfValue(response, PART_BOUNDS);
    return excess === undefined
      ? { threw: false, response }
      : { threw: true, response: `the tool's response ${excess.message}` };
  } catch (error) {
    return { threw: true, response: describeThrown(error) };
  }
}

async function dispatchAfter(
  { dispatch, journal }: Execution,
  phase: ToolCallPhase,
  event: string,
  payload: JsonObject,
  options: CallDispatchOptions,
): Promise<Verdict> {
  const verdict = await dispatch(event, payload, options);
  journal.note(phase, false, verdict);
  return verdict;
}

function textOf(response: JsonValue): string {
  return typeof response === "string" ? response : JSON.stringify(response);
}
