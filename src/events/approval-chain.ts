import type { EventName } from "./table.ts";

/** In which order a tool call is approved, and what each voice on the way counts for. Read by `engine.toolCall`. */

/** A moment before the tool runs at which rules may refuse it. */
export interface ApprovalStep {
  readonly event: EventName;
  /** Which of the event's rules are asked. Absent: all. */
  readonly lane?: "preempt" | "default";
  /** Whether a new input counts. */
  readonly rewrites: boolean;
  /** Whether an `allow` is a permission. Otherwise it is advice, and somebody else has to give one. */
  readonly permits: boolean;
  /** Whether a grant that the user gave for the session answers its `ask`. */
  readonly askYieldsToGrant: boolean;
  /** Whether its `ask` is for the user alone, so that no `PermissionRequest` rule may answer it. */
  readonly asksUserOnly: boolean;
  /** Stem of the label that tells who decided. */
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
  // Asked last, where something is still open.
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

/** Where the host's own answer comes from: an explicit rule, its mode, an earlier "always", a tool that only reads. */
export const POLICY_SOURCES = ["rule", "mode", "grant", "read-only"] as const;
export type PolicySource = (typeof POLICY_SOURCES)[number];

export interface ApprovalChain {
  readonly order: readonly (Exclude<ApprovalStepName, "permission-request"> | "policy")[];
  /** `preToolUse` rules are asked only when the policy answered one of these. Absent: always. */
  readonly preToolUseAfter?: readonly `${PolicySource} ${"allow" | "ask"}`[];
  /**
   * Whether rules of an event see its rewritten input once more. Otherwise it is only put before the phases that judge
   * a call again.
   */
  readonly secondLook: boolean;
  /** The event of a tool that failed. */
  readonly failureEvent: "PostToolUse" | "PostToolUseFailure";
  /** Whether a block after the tool ran stops the agent. Otherwise the model reads the reason, and the agent goes on. */
  readonly blockStops?: true;
}

/** Judged again after a rewrite, in this order, as far as they had been asked before it and did not rewrite themselves. */
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
  // What the policy refuses no hook is even asked about, and what a hook makes of a call the policy judges again.
  autohand: {
    order: ["transform", "guard", "policy", "preempt", "pre-tool-use"],
    secondLook: true,
    failureEvent: "PostToolUse",
  },
};

export function approvalChainOf(dialect: string): ApprovalChain {
  return Object.hasOwn(BY_DIALECT, dialect) ? (BY_DIALECT[dialect] as ApprovalChain) : USUAL;
}
