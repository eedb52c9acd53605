import type { EventName } from "./table.ts";

/** The order in which a tool call is approved, and what each step may decide. Read by `engine.toolCall`. */

/** A step before the tool runs in which rules may refuse the call. */
export interface ApprovalStep {
  readonly event: EventName;
  /** The lane whose rules are asked. Default: all rules. */
  readonly lane?: "preempt" | "default";
  /** Whether a rewritten input has an effect. */
  readonly rewrites: boolean;
  /** Whether an `allow` is a permission. If not, the `allow` is advice, and a later step must permit the call. */
  readonly permits: boolean;
  /** Whether a permission that the user gave for the session answers an `ask` of this step. */
  readonly askYieldsToGrant: boolean;
  /** Whether only the user may answer an `ask` of this step, and no `PermissionRequest` rule. */
  readonly asksUserOnly: boolean;
  /** The first part of the label that names the deciding step. */
  readonly label: string;
}

const step = { rewrites: false, permits: false, askYieldsToGrant: false, asksUserOnly: true } as const;

export const APPROVAL_STEPS = {
  transform: { ...step, event: "ToolInputTransform", rewrites: true, label: "tool_input_transform" },
  guard: { ...step, event: "ToolGuard", label: "tool_guard" },
  preempt: { ...step, event: "PreToolUse", lane: "preempt", askYieldsToGrant: true, label: "pre_tool_use_hook" },
  "pre-tool-use": {
    ...step,
    event: "PreToolUse",
    lane: "default",
    rewrites: true,
    permits: true,
    asksUserOnly: false,
    label: "pre_tool_use_hook",
  },
  // `permission-request` is asked last, and only if no other step has decided.
  "permission-request": {
    ...step,
    event: "PermissionRequest",
    rewrites: true,
    permits: true,
    asksUserOnly: false,
    label: "permission_request_hook",
  },
} as const satisfies Record<string, ApprovalStep>;

export type ApprovalStepName = keyof typeof APPROVAL_STEPS;

/** The source of the host's own answer: an explicit rule, its mode, an earlier "always", a tool that only reads. */
export const POLICY_SOURCES = ["rule", "mode", "grant", "read-only"] as const;
export type PolicySource = (typeof POLICY_SOURCES)[number];

export interface ApprovalChain {
  readonly order: readonly (Exclude<ApprovalStepName, "permission-request"> | "policy")[];
  /** `preToolUse` rules are asked only after one of these answers of the policy. Default: always. */
  readonly preToolUseAfter?: readonly `${PolicySource} ${"allow" | "ask"}`[];
  /** Whether the rules of an event judge their own rewritten input again. If not, only `RECHECKED` phases do. */
  readonly secondLook: boolean;
  /** The event that is sent if the tool failed. */
  readonly failureEvent: "PostToolUse" | "PostToolUseFailure";
  /** Whether a block after the tool ran stops the agent. If not, the model reads the reason, and the agent goes on. */
  readonly blockStops?: true;
}

/** The phases that judge a rewritten input again, in this order, except phases that were not asked. */
export const RECHECKED = ["guard", "preempt", "pre-tool-use", "policy"] as const;

const USUAL: ApprovalChain = {
  order: ["transform", "guard", "preempt", "pre-tool-use", "policy"],
  secondLook: true,
  failureEvent: "PostToolUseFailure",
};

const BY_DIALECT: Readonly<Record<string, ApprovalChain>> = {
  "docker-agent": {
    order: ["transform", "guard", "preempt", "policy", "pre-tool-use"],
    preToolUseAfter: ["mode ask", "read-only allow"],
    secondLook: false,
    failureEvent: "PostToolUse",
    blockStops: true,
  },
  // If the policy refuses a call, no hook is asked. If a hook rewrites a call, the policy judges it again.
  autohand: {
    order: ["transform", "guard", "policy", "preempt", "pre-tool-use"],
    secondLook: true,
    failureEvent: "PostToolUse",
  },
};

export function approvalChainOf(dialect: string): ApprovalChain {
  return Object.hasOwn(BY_DIALECT, dialect) ? (BY_DIALECT[dialect] as ApprovalChain) : USUAL;
}
