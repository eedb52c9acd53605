import { AdjustedParams } from "./adjusted-params.ts";
import { type ApprovalOptions, settleApproval } from "./approval.ts";
import { type ApprovalRequest, readApproval } from "./approval-request.ts";
import { noteUntold, TOOL_CALL_FAILED } from "./failure.ts";
import { isolatedCopy } from "./isolation.ts";
import { type Log, logText, safeText } from "./log-text.ts";
import type { BeforeToolCallResult } from "./merges/tool-call.ts";
import type { HookContext, HookEventData } from "./plugin-entry.ts";
import { type NormalCall, normalCall, type PluginToolCall, type ToolCallOptions } from "./tool-call.ts";

/** Decides whether a tool call may run, and with which parameters. */

export type GateAnswer =
  | { readonly status: "blocked"; readonly reason: string }
  | { readonly status: "allowed"; readonly params: Readonly<Record<string, unknown>> };

export type GateOptions = Pick<ToolCallOptions, "approve" | "sensitive">;

interface GateParts {
  /** Whether a handler or a rule will see the call. */
  isJudged(toolName: string): boolean;
  ask(event: HookEventData, ctx: HookContext): Promise<BeforeToolCallResult | undefined>;
  readonly isFaithful: boolean;
  readonly log: Log;
}

const ABORTED = "Tool call blocked because the run was aborted";

export class ToolCallGate {
  readonly #parts: GateParts;
  readonly #adjusted = new AdjustedParams();
  readonly #warnedOfTimeouts = new Set<string>();

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** Asks the hooks and, if needed, the user. Never rejects, because a failure blocks the call. */
  async ask(call: PluginToolCall, ctx: HookContext, options: GateOptions): Promise<GateAnswer> {
    const { abortSignal: signal } = ctx;
    const { isFaithful, log } = this.#parts;
    try {
      const normal = this.#held(normalCall(call), options.sensitive !== undefined);
      const said = await this.#parts.ask({ ...normal }, ctx);
      if (said?.requireApproval !== undefined) this.#warnOfTimeout(said.requireApproval);
      const answer = await passGate(normal, said, options.sensitive, {
        approve: options.approve,
        signal,
        allowsOnTimeout: isFaithful,
        log,
        nobodyToAsk: isFaithful ? undefined : nobodyToAsk(ctx),
      });
      if (signal?.aborted === true && answer.status === "allowed") return { status: "blocked", reason: ABORTED };
      if (answer.status === "allowed") this.#adjusted.keep(call.runId ?? ctx.runId, call.toolCallId, answer.params);
      return answer;
    } catch (error) {
      if (signal?.aborted === true) return { status: "blocked", reason: ABORTED };
      noteUntold(error, log);
      return { status: "blocked", reason: TOOL_CALL_FAILED };
    }
  }

  /** Returns the parameters with which a call ran. Only the first caller gets them. */
  consumeAdjustedParams(toolCallId: string, runId?: string): Readonly<Record<string, unknown>> | undefined {
    return this.#adjusted.consume(runId, toolCallId);
  }

  /** Copies the parameters, so that a caller cannot change them while the user or a handler decides. */
  #held(call: NormalCall, isQuestioned: boolean): NormalCall {
    const isShown = isQuestioned || this.#parts.isJudged(call.toolName);
    return isShown ? { ...call, params: isolatedCopy(call.params, "params") } : call;
  }

  #warnOfTimeout({ pluginId, timeoutBehavior }: { readonly pluginId: string; readonly timeoutBehavior: string }): void {
    if (timeoutBehavior !== "allow" || this.#parts.isFaithful || this.#warnedOfTimeouts.has(pluginId)) return;
    this.#warnedOfTimeouts.add(pluginId);
    this.#parts.log.warn(
      safeText(
        `plugin "${pluginId}": timeoutBehavior "allow" has no effect; a call that the user does not approve in time is denied`,
      ),
    );
  }
}

interface GateApproval extends ApprovalOptions {
  /** Why the user cannot be asked in this run. `undefined`: the user can be asked. */
  readonly nobodyToAsk: string | undefined;
}

/** Passes a call through the gate. A block outranks a question. Every question is about the call as it will run. */
async function passGate(
  call: NormalCall,
  said: BeforeToolCallResult | undefined,
  sensitive: ToolCallOptions["sensitive"],
  approval: GateApproval,
): Promise<GateAnswer> {
  if (said?.block === true)
    return { status: "blocked", reason: said.blockReason ?? "Tool call blocked by plugin hook" };
  const final: NormalCall = { ...call, params: { ...call.params, ...said?.params } };
  const questions: ApprovalRequest[] = said?.requireApproval === undefined ? [] : [said.requireApproval];
  try {
    const asked = await sensitive?.(final);
    if (asked !== undefined && asked !== null) questions.push(readApproval(asked, "host"));
  } catch (error) {
    approval.log.error(safeText(`the check whether the call is sensitive failed: ${logText(error)}`));
    return { status: "blocked", reason: "Tool call blocked because it could not be checked" };
  }
  for (const question of questions) {
    const approve = approval.nobodyToAsk === undefined ? approval.approve : undefined;
    const outcome = await settleApproval(question, final, { ...approval, approve });
    if (!outcome.isAllowed) return { status: "blocked", reason: approval.nobodyToAsk ?? outcome.reason };
  }
  return { status: "allowed", params: final.params };
}

/** Returns why the user cannot be asked in this run. A scheduled job has no user who could approve its calls. */
function nobodyToAsk({ trigger, jobId }: HookContext): string | undefined {
  if (jobId === undefined && (trigger === undefined || trigger === "user")) return undefined;
  return "Approval is not available in a run that no user has started";
}
