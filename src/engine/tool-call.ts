import { HookError } from "../errors.ts";
import { type ApprovalChain, approvalChainOf } from "../events/approval-chain.ts";
import { Approval, CANCELLED, type Ending } from "./approval.ts";
import { type CallCopy, copyOf, payloadOf } from "./call-copy.ts";
import { CallJournal } from "./call-journal.ts";
import { type Dispatch, executeTool, LAST_WORDS_MS } from "./executed-tool.ts";
import type { ToolCall, ToolCallHost, ToolCallResult } from "./tool-call-host.ts";

/**
 * Takes a tool call from approval to result. Rules change and judge the call, and the host's policy and the user answer
 * open questions. Then the tool runs, and rules change and observe its result. Rejects only on misuse: a tool name or
 * payload that no event accepts, or a host that cannot run the tool.
 */
export async function runToolCall(
  dispatch: Dispatch,
  call: ToolCall,
  host: ToolCallHost,
  { dialect }: { readonly dialect: string },
): Promise<ToolCallResult> {
  if (typeof host?.execute !== "function") {
    throw new HookError("HOOK_API_MISUSE", 'a tool call needs a host with "execute", the function that runs the tool');
  }
  return new ToolCallRun(dispatch, call, host, approvalChainOf(dialect)).run();
}

class ToolCallRun {
  readonly #dispatch: Dispatch;
  readonly #call: CallCopy;
  readonly #host: ToolCallHost;
  readonly #chain: ApprovalChain;
  readonly #signal: AbortSignal;
  readonly #journal = new CallJournal();
  readonly #approval: Approval;

  constructor(dispatch: Dispatch, call: ToolCall, host: ToolCallHost, chain: ApprovalChain) {
    this.#dispatch = dispatch;
    this.#call = copyOf(call);
    this.#host = host;
    this.#chain = chain;
    this.#signal = host.signal ?? new AbortController().signal;
    const context = { dispatch, call: this.#call, host, chain, signal: this.#signal, journal: this.#journal };
    this.#approval = new Approval(context);
  }

  async run(): Promise<ToolCallResult> {
    const ending = await this.#approval.decide();
    await this.#reportDecision(ending);
    if (ending.outcome !== "approved") return this.#result(ending.outcome, ending);
    if (this.#signal.aborted) return this.#result("cancelled", CANCELLED);
    const { input } = this.#approval;
    const executed = await executeTool({
      host: this.#host,
      chain: this.#chain,
      dispatch: this.#dispatch,
      journal: this.#journal,
      signal: this.#signal,
      input,
      payload: (more) => payloadOf(this.#call, input, more),
    });
    return this.#result(executed.outcome, executed.outcome === "cancelled" ? CANCELLED : ending, executed);
  }

  /** Reports every decision to observers, also for a cancelled call. */
  async #reportDecision({ outcome, source, reason }: Ending): Promise<void> {
    const decision = { approved: "allow", denied: "deny", cancelled: "canceled" }[outcome];
    const more = { approval_decision: decision, approval_source: source, reason: reason ?? "" };
    const payload = payloadOf(this.#call, this.#approval.input, more);
    const options = outcome === "cancelled" ? { patienceMs: LAST_WORDS_MS } : { signal: this.#signal };
    this.#journal.note("approval-decision", false, await this.#dispatch("ToolApprovalDecision", payload, options));
  }

  #result(
    outcome: ToolCallResult["outcome"],
    { source, reason }: Ending,
    more: Partial<Pick<ToolCallResult, "executed" | "output" | "error">> = {},
  ): ToolCallResult {
    return {
      outcome,
      executed: false,
      source,
      reason,
      input: this.#approval.input,
      output: null,
      error: null,
      ...more,
      asked: this.#approval.asked,
      ...this.#journal.summary(),
    };
  }
}
