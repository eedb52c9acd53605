import { type ApprovalTerms, type Approve, settleApproval } from "./approval.ts";
import { type ApprovalRequest, readApproval } from "./approval-request.ts";
import { logText, safeText } from "./log-text.ts";
import type { BeforeToolCallResult } from "./merges/tool-call.ts";
import type { HookContext, HookEventData } from "./plugin-entry.ts";
import { toolId } from "./tool-ids.ts";
import type { ToolResultMessage } from "./tool-result.ts";

/** A tool call the whole way: hooks, approval, the tool, hooks again. */

export interface PluginToolCall {
  readonly toolName: string;
  readonly params: unknown;
  readonly toolCallId?: string;
  readonly runId?: string;
}

/** What handlers and the user are shown. */
export interface NormalCall {
  readonly toolName: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly toolCallId?: string;
  readonly runId?: string;
}

export interface ToolCallOptions {
  execute(params: Readonly<Record<string, unknown>>, options: { readonly signal?: AbortSignal }): unknown;
  readonly approve?: Approve;
  /** The embedder's own question about a call, asked of the parameters that it will run with. */
  sensitive?(call: NormalCall): unknown;
}

export type PluginToolCallResult =
  | { readonly status: "blocked"; readonly reason: string }
  | {
      readonly status: "executed" | "failed";
      readonly params: Readonly<Record<string, unknown>>;
      /** What the tool gave, or threw. */
      readonly result: unknown;
      /** For the transcript, after the hooks on it, with bounded details. */
      readonly message: ToolResultMessage;
      /** For the model: without details. */
      readonly replay: ToolResultMessage;
    };

export type GateAnswer =
  | { readonly status: "blocked"; readonly reason: string }
  | { readonly status: "allowed"; readonly params: Readonly<Record<string, unknown>> };

export function normalCall({ toolName, params, toolCallId, runId }: PluginToolCall): NormalCall {
  const isParams = typeof params === "object" && params !== null && !Array.isArray(params);
  return {
    toolName: toolId(toolName),
    params: isParams ? (params as HookEventData) : {},
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(runId === undefined ? {} : { runId }),
  };
}

export interface GateTerms extends ApprovalTerms {
  /** Why nobody can be asked in this run, if so. */
  readonly nobodyToAsk: string | undefined;
}

/** A "no" beats a question; every question is put about the call as it will run. */
export async function passGate(
  call: NormalCall,
  said: BeforeToolCallResult | undefined,
  sensitive: ToolCallOptions["sensitive"],
  terms: GateTerms,
): Promise<GateAnswer> {
  if (said?.block === true)
    return { status: "blocked", reason: said.blockReason ?? "Tool call blocked by plugin hook" };
  const final: NormalCall = { ...call, params: { ...call.params, ...said?.params } };
  const questions: ApprovalRequest[] = said?.requireApproval === undefined ? [] : [said.requireApproval];
  try {
    const asked = await sensitive?.(final);
    if (asked !== undefined && asked !== null) questions.push(readApproval(asked, "host"));
  } catch (error) {
    terms.log.error(safeText(`whether the call is sensitive could not be told: ${logText(error)}`));
    return { status: "blocked", reason: "Tool call blocked because it could not be checked" };
  }
  for (const question of questions) {
    const approve = terms.nobodyToAsk === undefined ? terms.approve : undefined;
    const outcome = await settleApproval(question, final, { ...terms, approve });
    if (!outcome.isAllowed) return { status: "blocked", reason: terms.nobodyToAsk ?? outcome.reason };
  }
  return { status: "allowed", params: final.params };
}

export const ABORTED = "Tool call blocked because the run was aborted";

/** Why nobody can be asked in this run, if so: a job that nobody watches has nobody to approve what it does. */
export function nobodyToAsk({ trigger, jobId }: HookContext): string | undefined {
  if (jobId === undefined && (trigger === undefined || trigger === "user")) return undefined;
  return "Approval is not available in a run that no user has started";
}
