import { isDeepStrictEqual } from "node:util";
import {
  APPROVAL_STEPS,
  type ApprovalChain,
  type ApprovalStep,
  type ApprovalStepName,
  RECHECKED,
} from "../events/approval-chain.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { excessOfValue } from "../json-bounds.ts";
import type { Verdict } from "../verdict.ts";
import { ApprovalState, policyLabel } from "./approval-state.ts";
import { type CallCopy, PART_BOUNDS, payloadOf } from "./call-copy.ts";
import type { CallJournal } from "./call-journal.ts";
import type { Dispatch } from "./executed-tool.ts";
import { frozenJson } from "./frozen-json.ts";
import { askHost, readPolicyAnswer, readUserAnswer } from "./host-answers.ts";
import type { PendingToolCall, ToolCallHost } from "./tool-call-host.ts";

/** Whether a call may run, with the reason and the label of the decision. */
export interface Ending {
  readonly outcome: "approved" | "denied" | "cancelled";
  readonly source: string;
  readonly reason: string | null;
}

export const CANCELLED: Ending = { outcome: "cancelled", source: "context_canceled", reason: null };
const denied = (source: string, reason: string | null): Ending => ({ outcome: "denied", source, reason });

interface ApprovalContext {
  readonly dispatch: Dispatch;
  readonly call: CallCopy;
  readonly host: ToolCallHost;
  readonly chain: ApprovalChain;
  readonly signal: AbortSignal;
  readonly journal: CallJournal;
}

/**
 * Decides whether a call may run, and with what input. Rules change and judge the call. The host's policy and the user
 * answer the questions that the rules leave open.
 */
export class Approval {
  readonly #dispatch: Dispatch;
  readonly #call: CallCopy;
  readonly #host: ToolCallHost;
  readonly #chain: ApprovalChain;
  readonly #signal: AbortSignal;
  readonly #journal: CallJournal;
  #input: JsonObject;
  #rewritten = false;
  #asked = false;
  #ranPreToolUse = false;
  #state = new ApprovalState(() => !this.#rewritten);

  constructor({ dispatch, call, host, chain, signal, journal }: ApprovalContext) {
    this.#dispatch = dispatch;
    this.#call = call;
    this.#host = host;
    this.#chain = chain;
    this.#signal = signal;
    this.#journal = journal;
    this.#input = call.input ?? Object.freeze({});
  }

  /** The input after all rewrites so far. */
  get input(): JsonObject {
    return this.#input;
  }

  get asked(): boolean {
    return this.#asked;
  }

  async decide(): Promise<Ending> {
    const { inputProblem } = this.#call;
    if (inputProblem !== undefined) return denied("tool_input_invalid_deny", `the tool's input ${inputProblem}`);
    for (const name of this.#chain.order) {
      if (name === "pre-tool-use" && !this.#wantsPreToolUse()) continue;
      const ending = name === "policy" ? await this.#recordPolicy() : await this.#ask(name);
      if (ending !== undefined) return ending;
    }
    return (await this.#askPermissionRules()) ?? this.#settle();
  }

  #wantsPreToolUse(): boolean {
    const { policy } = this.#state;
    if (this.#chain.preToolUseAfter === undefined || policy === undefined) return true;
    return this.#chain.preToolUseAfter.some((answer) => answer === `${policy.source} ${policy.decision}`);
  }

  /** Runs one phase of rules. A refusal in any phase is final. */
  async #ask(name: ApprovalStepName, recheck = false): Promise<Ending | undefined> {
    const step: ApprovalStep = APPROVAL_STEPS[name];
    const { verdict, ending } = await this.#judge(name, recheck);
    if (ending !== undefined) return ending;
    if (recheck) return this.#recordAgain(step, verdict);
    this.#state.record(step, verdict);
    if (name === "pre-tool-use") this.#ranPreToolUse = true;
    const isNew = step.rewrites && this.#takeRewrite(verdict.updatedInput);
    // A rewrite by `transform` needs no recheck, because no phase has judged the call before.
    return isNew && name !== "transform" ? this.#recheck(false) : undefined;
  }

  /** Takes the verdict of a recheck. A recheck can only refuse or ask, and a further rewrite counts as a refusal. */
  #recordAgain(step: ApprovalStep, verdict: Verdict): Ending | undefined {
    this.#state.record({ ...step, permits: false }, verdict);
    const { updatedInput } = verdict;
    if (!step.rewrites || !this.#chain.secondLook || updatedInput === null) return undefined;
    if (isDeepStrictEqual(frozenJson(updatedInput), this.#input)) return undefined;
    return denied(`${step.label}_deny`, "a rule rewrote the input again, after an earlier rewrite");
  }

  async #judge(
    name: ApprovalStepName,
    recheck: boolean,
  ): Promise<{ readonly verdict: Verdict; readonly ending: Ending | undefined }> {
    const step: ApprovalStep = APPROVAL_STEPS[name];
    const lane = step.lane === undefined ? {} : { lane: step.lane };
    const verdict = await this.#dispatch(step.event, payloadOf(this.#call, this.#input), {
      signal: this.#signal,
      secondLook: this.#chain.secondLook,
      ...lane,
      // Async rules have already seen this call and cannot refuse it.
      ...(recheck ? { only: "sync" } : {}),
    });
    this.#journal.note(name, recheck, verdict);
    if (this.#signal.aborted || verdict.cancelled) return { verdict, ending: CANCELLED };
    const excess = excessOfValue(verdict.updatedInput, PART_BOUNDS);
    if (excess !== undefined)
      return { verdict, ending: denied(`${step.label}_deny`, `the input that a rule rewrote ${excess.message}`) };
    const refuses = verdict.decision === "deny" || verdict.decision === "block" || !verdict.continue;
    return {
      verdict,
      ending: refuses ? denied(`${step.label}_deny`, verdict.reason ?? verdict.stopReason) : undefined,
    };
  }

  #takeRewrite(updated: JsonObject | null): boolean {
    const input = updated === null ? undefined : frozenJson(updated);
    if (input === undefined || isDeepStrictEqual(input, this.#input)) return false;
    this.#input = input;
    return true;
  }

  /**
   * Judges the call again after a rewrite, so that the new input does not bypass earlier phases. The result can only
   * become stricter.
   */
  async #recheck(byPermissionRule: boolean): Promise<Ending | undefined> {
    const hasPolicy = this.#state.policy !== undefined;
    this.#rewritten = true;
    for (const name of RECHECKED) {
      if (name === "policy" && !hasPolicy) continue;
      // PreToolUse rules have already judged their own rewrites in a second look.
      if (name === "pre-tool-use" && !(byPermissionRule && this.#ranPreToolUse)) continue;
      const ending = name === "policy" ? await this.#recordPolicy() : await this.#ask(name, true);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  async #recordPolicy(): Promise<Ending | undefined> {
    const { policy } = this.#host;
    if (policy === undefined) {
      this.#state.recordPolicy({ decision: "ask", source: "mode" });
      return undefined;
    }
    const answer = await askHost("policy", this.#signal, async () =>
      readPolicyAnswer(await policy.call(this.#host, this.#pending())),
    );
    if (answer.kind === "cancelled") return CANCELLED;
    if (answer.kind === "broken") return denied("policy_error_deny", answer.message);
    const said = answer.value;
    if (said === undefined) return denied("policy_error_deny", "policy returned an invalid answer");
    if (said.decision === "deny") return denied(policyLabel(said), said.reason ?? null);
    this.#state.recordPolicy(said);
    return undefined;
  }

  /** Asks PermissionRequest rules instead of the user, unless a question was for the user only. */
  async #askPermissionRules(): Promise<Ending | undefined> {
    const open = this.#state.resolve();
    if (open.kind === "permitted" || open.question.userOnly) return undefined;
    const { verdict, ending } = await this.#judge("permission-request", false);
    if (ending !== undefined) return ending;
    if (verdict.decision !== "allow") {
      this.#state.record(APPROVAL_STEPS["permission-request"], verdict);
      return undefined;
    }

    const isNew = this.#takeRewrite(verdict.updatedInput);
    const first = this.#state;
    this.#state = new ApprovalState(() => !this.#rewritten);
    this.#state.permit(`${APPROVAL_STEPS["permission-request"].label}_allow`, verdict.reason);
    if (isNew) {
      if (first.policy !== undefined) this.#state.recordPolicy({ decision: "ask", source: "mode" });
      const refused = await this.#recheck(true);
      if (refused !== undefined) return refused;
    }
    const { updatedPermissions } = verdict.specific;
    if (updatedPermissions === undefined || this.#state.resolve().kind === "open") return undefined;
    return this.#grant("permission-request", { updatedPermissions });
  }

  async #settle(): Promise<Ending> {
    const resolution = this.#state.resolve();
    if (resolution.kind === "permitted") {
      return { outcome: "approved", source: resolution.label, reason: resolution.reason };
    }
    const { reasons, canBeRemembered } = resolution.question;
    const { askUser } = this.#host;
    if (askUser === undefined || this.#host.nonInteractive === true) {
      return denied(
        "non_interactive_deny",
        [...reasons, "the call needs approval, and no user can be asked"].join("\n"),
      );
    }
    this.#asked = true;
    const question = { ...this.#pending(), reasons, canBeRemembered, metadata: this.#journal.metadata() };
    const answer = await askHost("askUser", this.#signal, async () =>
      readUserAnswer(await askUser.call(this.#host, question)),
    );
    if (answer.kind === "cancelled") return CANCELLED;
    if (answer.kind === "broken") return denied("user_error_deny", answer.message);
    const said = answer.value;
    if (said === undefined) return denied("user_error_deny", "askUser returned an invalid answer");
    if (said.decision === "deny") return denied("user_deny", said.reason ?? "refused by the user");
    if (said.decision === "allow-always") {
      const ending = await this.#grant("user", {});
      if (ending !== undefined) return ending;
    }
    return {
      outcome: "approved",
      source: said.decision === "allow" ? "user_allow" : "user_allow_always",
      reason: said.reason,
    };
  }

  async #grant(
    by: "user" | "permission-request",
    more: { readonly updatedPermissions?: JsonValue },
  ): Promise<Ending | undefined> {
    const given = { toolName: this.#call.toolName, input: this.#input, by, ...more };
    const answer = await askHost("grant", this.#signal, () => this.#host.grant?.(given));
    if (answer.kind === "cancelled") return CANCELLED;
    return answer.kind === "broken" ? denied("grant_error_deny", answer.message) : undefined;
  }

  #pending(): PendingToolCall {
    const { toolName, toolUseId } = this.#call;
    const id = toolUseId === undefined ? {} : { toolUseId };
    return { toolName, input: this.#input, ...id, rewritten: this.#rewritten, signal: this.#signal };
  }
}
