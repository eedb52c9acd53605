import type { PermissionUpdate } from "./events.ts";
import { nameValue } from "./name-value.ts";

/**
 * Fields of a reply in addition to the decision. Which fields have an effect depends on the event; see the SDK's page.
 */
export interface Extras {
  /** A text for the user. */
  systemMessage?: string | undefined;
  suppressOutput?: boolean | undefined;
  /** Stops the agent, with this reason. Outranks any decision. */
  stop?: string | undefined;
  /** Text for the model, as `context()` adds it. */
  context?: string | undefined;
  /** Replaces `tool_input`, like `rewrite()` before a tool runs. */
  updatedInput?: object | undefined;
  /** Replaces the tool's result, like `rewrite()` after a tool has run. */
  updatedOutput?: unknown;
  /** Replaces the messages of one model call, like `rewrite()` at BeforeModelCall. */
  updatedMessages?: readonly unknown[] | undefined;
  /** For PermissionRequest, with `allow`. */
  updatedPermissions?: PermissionUpdate[] | undefined;
  /** Ends the turn. For PermissionRequest, with `deny`. */
  interrupt?: boolean | undefined;
  /** For PostToolUse. */
  classifierContext?: string | undefined;
  /** Tells the model that it may try again. For PermissionDenied. */
  retry?: boolean | undefined;
  /** For UserPromptSubmit and SessionStart. */
  sessionTitle?: string | undefined;
  /** For UserPromptSubmit and UserPromptExpansion. */
  suppressOriginalPrompt?: boolean | undefined;
  /** For SessionStart. */
  initialUserMessage?: string | undefined;
  /** For SessionStart, CwdChanged and FileChanged. */
  watchPaths?: string[] | undefined;
  /** For SessionStart. */
  reloadSkills?: boolean | undefined;
  /** Replaces the displayed text. For MessageDisplay. */
  displayContent?: string | undefined;
  /** `decline` and `cancel` count as a denial. For Elicitation and ElicitationResult. */
  action?: "accept" | "decline" | "cancel" | undefined;
  /** For Elicitation and ElicitationResult, with `action: "accept"`. */
  content?: Record<string, unknown> | undefined;
  /** For WorktreeCreate. */
  worktreePath?: string | undefined;
  /**
   * Set if this hook handles the message, so that no other handler needs to. For InboundClaim, BeforeDispatch,
   * ReplyDispatch and BeforeAgentReply.
   */
  handled?: boolean | undefined;
  /** The reply to a message with `handled`. For InboundClaim, BeforeDispatch, ReplyDispatch and BeforeAgentReply. */
  reply?: unknown;
  /** For BeforeModelResolve. */
  providerOverride?: string | undefined;
  /** For BeforeModelResolve. */
  modelOverride?: string | undefined;
  /** Replaces the agent's own system prompt. For BeforePromptBuild. */
  systemPrompt?: string | undefined;
  /** Text before the system prompt. For BeforePromptBuild. */
  prependSystemContext?: string | undefined;
  /** Text after the system prompt. For BeforePromptBuild. */
  appendSystemContext?: string | undefined;
  /** Environment variables for commands. For ResolveExecEnv. */
  env?: Record<string, string> | undefined;
}

export type ReplyKind = "deny" | "ask" | "allow" | "rewrite" | "context" | "respond" | "abstain";

/** A frozen reply that one of the reply functions created. */
export class Reply<Kind extends ReplyKind = ReplyKind, Field extends PropertyKey = keyof Extras> {
  readonly kind: Kind;
  /** The reason, the added text, or the replacement, depending on `kind`. */
  readonly value: unknown;
  readonly extras: Extras | undefined;
  /** The names of the extras, used only as a type, so that the compiler refuses extras that an event does not have. */
  declare protected readonly fields: Field;

  constructor(kind: Kind, value: unknown, extras: Extras | undefined) {
    if (extras !== undefined && (typeof extras !== "object" || extras === null)) {
      throw new TypeError(`${kind}: the extras must be an object, got ${nameValue(extras)}`);
    }
    this.kind = kind;
    this.value = value;
    this.extras = extras;
    Object.freeze(this);
    lastMade = kind;
  }
}

/** The kind of the last reply. A variable and not a list, because every call pays for it. */
let lastMade: ReplyKind | undefined;

/** Forgets replies. Call this before `handle`, to detect replies that are created but not returned. */
export function forgetReplies(): void {
  lastMade = undefined;
}

/** Returns the function that created the last reply since {@link forgetReplies}. Does not count `abstain`. */
export function lastReplyMade(): ReplyKind | undefined {
  return lastMade;
}

type NoExtras = Record<never, never>;

/** Makes misspelt extras a compile error at their own place. */
type Exact<Given> = { [Key in Exclude<keyof Given, keyof Extras>]: never };

/**
 * Stops the announced action: the tool call, the prompt, the change. Stop, SubagentStop, TaskCompleted and TeammateIdle
 * announce an end, so the agent continues. After a tool has run, the reason is added to its result.
 */
export function deny<const Given extends Extras = NoExtras>(
  reason: string,
  extras?: Given & Exact<Given>,
): Reply<"deny", keyof Given> {
  return new Reply("deny", text("deny", "reason", reason), extras);
}

/** Asks the user. */
export function ask<const Given extends Extras = NoExtras>(
  reason: string,
  extras?: Given & Exact<Given>,
): Reply<"ask", keyof Given> {
  return new Reply("ask", text("ask", "reason", reason), extras);
}

/**
 * Permits the action, so that the user is not asked. A `deny` or `ask` of another rule outranks the permission. For no
 * opinion, use `abstain()`.
 */
export function allow<const Given extends Extras = NoExtras>(
  reason?: string,
  extras?: Given & Exact<Given>,
): Reply<"allow", keyof Given> {
  return new Reply("allow", reason === undefined ? undefined : text("allow", "reason", reason), extras);
}

/**
 * Replaces `tool_input` before a tool runs (with an object), the tool's result afterwards (with any JSON value), or the
 * messages of a model call (with a list). Does not permit anything; `allow("…", { updatedInput })` does both.
 */
export function rewrite<const Given extends Extras = NoExtras>(
  replacement: unknown,
  extras?: Given & Exact<Given>,
): Reply<"rewrite", keyof Given> {
  if (replacement === undefined) throw new TypeError("rewrite: there is no replacement");
  return new Reply("rewrite", replacement, extras);
}

/** Adds text for the model to read. Makes no decision. */
export function context<const Given extends Extras = NoExtras>(
  addition: string,
  extras?: Given & Exact<Given>,
): Reply<"context", keyof Given> {
  return new Reply("context", text("context", "text", addition), extras);
}

/** Makes no decision, and sets fields that only this event has: `respond({ displayContent: "…" })`. */
export function respond<const Given extends Extras>(extras: Given & Exact<Given>): Reply<"respond", keyof Given> {
  return new Reply("respond", undefined, extras);
}

const ABSTENTION: Reply<"abstain", never> = /* @__PURE__ */ new Reply("abstain", undefined, undefined);

/** Gives no opinion, like returning nothing. */
export function abstain(): Reply<"abstain", never> {
  return ABSTENTION;
}

function text(of: string, what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${of}: the ${what} must be a string, got ${nameValue(value)}`);
}
