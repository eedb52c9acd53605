import type { ApprovalStep } from "../events/approval-chain.ts";
import type { Verdict } from "../verdict.ts";
import type { PolicyAnswer } from "./tool-call-host.ts";

/** A question that must be answered before a call may run. */
interface OpenQuestion {
  readonly reasons: readonly string[];
  readonly userOnly: boolean;
  readonly canBeRemembered: boolean;
}

type Resolution =
  | { readonly kind: "permitted"; readonly label: string; readonly reason: string | null }
  | { readonly kind: "open"; readonly question: OpenQuestion };

interface Doubt {
  readonly step: ApprovalStep;
  readonly reason: string | null;
}

/** Returns the rank of a policy answer. For a rewritten input, only a stricter answer replaces the first answer. */
function strictness({ decision, source }: PolicyAnswer): number {
  if (decision === "deny") return 3;
  if (decision === "allow") return 0;
  return source === "mode" ? 1 : 2;
}

/** The questions and permissions of a call so far. A refusal is never recorded, because it ends the call. */
export class ApprovalState {
  readonly #doubts: Doubt[] = [];
  #permit: { readonly label: string; readonly reason: string | null } | undefined;
  #policy: PolicyAnswer | undefined;
  /** Returns whether grants count. A grant given before a rewrite does not cover the new input. */
  readonly #grantsCount: () => boolean;

  constructor(grantsCount: () => boolean) {
    this.#grantsCount = grantsCount;
  }

  get policy(): PolicyAnswer | undefined {
    return this.#policy;
  }

  /**
   * Records a verdict that is not a refusal. `defer` counts as a question, because a user decides on the call later.
   */
  record(step: ApprovalStep, { decision, reason }: Verdict): void {
    if (decision === "ask" || decision === "defer") this.#doubts.push({ step, reason });
    if (decision === "allow" && step.permits) this.permit(`${step.label}_allow`, reason);
  }

  recordPolicy(answer: PolicyAnswer): void {
    if (this.#policy === undefined || strictness(answer) > strictness(this.#policy)) this.#policy = answer;
  }

  permit(label: string, reason: string | null): void {
    this.#permit = { label, reason };
  }

  /** Returns the resolution. A question outranks every permission. The host's own rules outrank a rule's permission. */
  resolve(): Resolution {
    const policy = this.#policy ?? { decision: "ask", source: "mode" };
    const granted = policy.decision === "allow" && policy.source === "grant" && this.#grantsCount();
    const doubts = this.#doubts.filter(({ step }) => !(granted && step.askYieldsToGrant));
    if (doubts.length === 0) {
      if (policy.decision === "allow") {
        return { kind: "permitted", label: policyLabel(policy), reason: policy.reason ?? null };
      }
      if (this.#permit !== undefined && policy.source === "mode") return { kind: "permitted", ...this.#permit };
    }
    const ownReason = policy.decision === "ask" ? policy.reason : undefined;
    return {
      kind: "open",
      question: {
        reasons: [...doubts.map(({ reason }) => reason), ownReason].filter((reason) => typeof reason === "string"),
        userOnly: doubts.some(({ step }) => step.asksUserOnly),
        canBeRemembered: doubts.every(({ step }) => step.askYieldsToGrant),
      },
    };
  }
}

export function policyLabel({ decision, source, label }: PolicyAnswer): string {
  if (label !== undefined) return label;
  return source === "read-only" ? `readonly_hint_${decision}` : `${source}_${decision}`;
}
