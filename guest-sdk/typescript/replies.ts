import type { PermissionUpdate } from "./events.ts";
import { nameValue } from "./name-value.ts";

/** What can be said besides the decision. Which fields mean something depends on the event; see the SDK's page. */
export interface Extras {
  /** Shown to the user. */
  systemMessage?: string | undefined;
  suppressOutput?: boolean | undefined;
  /** Stops the agent, for this reason. Outranks any decision. */
  stop?: string | undefined;
  /** Text for the model, as `context()` adds it. */
  context?: string | undefined;
  /** Whole replacement of `tool_input`, as `rewrite()` gives it before a tool runs. */
  updatedInput?: object | undefined;
  /** Whole replacement of the tool's result, as `rewrite()` gives it after a tool has run. */
  updatedOutput?: unknown;
  /** PermissionRequest, with `allow`. */
  updatedPermissions?: PermissionUpdate[] | undefined;
  /** PermissionRequest, with `deny`: ends the turn. */
  interrupt?: boolean | undefined;
  /** PostToolUse. */
  classifierContext?: string | undefined;
  /** PermissionDenied: tells the model that it may try again. */
  retry?: boolean | undefined;
  /** UserPromptSubmit, SessionStart. */
  sessionTitle?: string | undefined;
  /** UserPromptSubmit, UserPromptExpansion. */
  suppressOriginalPrompt?: boolean | undefined;
  /** SessionStart. */
  initialUserMessage?: string | undefined;
  /** SessionStart, CwdChanged, FileChanged. */
  watchPaths?: string[] | undefined;
  /** SessionStart. */
  reloadSkills?: boolean | undefined;
  /** MessageDisplay: shown in place of the text. */
  displayContent?: string | undefined;
  /** Elicitation, ElicitationResult. `decline` and `cancel` count as a denial. */
  action?: "accept" | "decline" | "cancel" | undefined;
  /** Elicitation, ElicitationResult, with `action: "accept"`. */
  content?: Record<string, unknown> | undefined;
  /** WorktreeCreate. */
  worktreePath?: string | undefined;
  /** InboundClaim, BeforeDispatch, ReplyDispatch, BeforeAgentReply: nobody else need see to it. */
  handled?: boolean | undefined;
  /** InboundClaim, BeforeDispatch, ReplyDispatch, BeforeAgentReply, with `handled`. */
  reply?: unknown;
  /** BeforeModelResolve. */
  providerOverride?: string | undefined;
  /** BeforeModelResolve. */
  modelOverride?: string | undefined;
  /** BeforePromptBuild: in place of the agent's own. */
  systemPrompt?: string | undefined;
  /** BeforePromptBuild: before the system prompt. */
  prependSystemContext?: string | undefined;
  /** BeforePromptBuild: behind the system prompt. */
  appendSystemContext?: string | undefined;
  /** ResolveExecEnv: variables for commands. */
  env?: Record<string, string> | undefined;
}

export type ReplyKind = "deny" | "ask" | "allow" | "rewrite" | "context" | "respond" | "abstain";

/** An answer that one of the reply functions has made. Frozen. */
export class Reply<Kind extends ReplyKind = ReplyKind, Field extends PropertyKey = keyof Extras> {
  readonly kind: Kind;
  /** The reason, the added text, or the replacement, as `kind` says. */
  readonly value: unknown;
  readonly extras: Extras | undefined;
  /** Only a type: the names of the extras, so that an event refuses those that it does not have. */
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

/** A variable rather than a list: each call pays for it. */
let lastMade: ReplyKind | undefined;

/** Begins to watch for replies that are made and not returned. */
export function forgetReplies(): void {
  lastMade = undefined;
}

/** The function that has made a reply since, the last one if there were several. `abstain` makes none. */
export function lastReplyMade(): ReplyKind | undefined {
  return lastMade;
}

type NoExtras = Record<never, never>;

/** Misspelt extras are errors where they stand. */
type Exact<Given> = { [Key in Exclude<keyof Given, keyof Extras>]: never };

/**
 * Stops what the event announces: the tool call, the prompt, the change. At Stop, SubagentStop, TaskCompleted and
 * TeammateIdle that is an ending, so the agent goes on. After a tool has run, the reason is put beside its result.
 */
export function deny<const Given extends Extras = NoExtras>(
  reason: string,
  extras?: Given & Exact<Given>,
): Reply<"deny", keyof Given> {
  return new Reply("deny", text("deny", "reason", reason), extras);
}

/** Lets the user decide. */
export function ask<const Given extends Extras = NoExtras>(
  reason: string,
  extras?: Given & Exact<Given>,
): Reply<"ask", keyof Given> {
  return new Reply("ask", text("ask", "reason", reason), extras);
}

/** Permits, so that the user is not asked. Another rule's `deny` or `ask` outranks it. To say nothing, `abstain()`. */
export function allow<const Given extends Extras = NoExtras>(
  reason?: string,
  extras?: Given & Exact<Given>,
): Reply<"allow", keyof Given> {
  return new Reply("allow", reason === undefined ? undefined : text("allow", "reason", reason), extras);
}

/**
 * Replaces the whole of `tool_input` before a tool runs (an object), or of the tool's result after it has run (any JSON
 * value). Decides nothing; `allow("…", { updatedInput })` permits, too.
 */
export function rewrite<const Given extends Extras = NoExtras>(
  replacement: unknown,
  extras?: Given & Exact<Given>,
): Reply<"rewrite", keyof Given> {
  if (replacement === undefined) throw new TypeError("rewrite: there is no replacement");
  return new Reply("rewrite", replacement, extras);
}

/** Adds text for the model to read. Decides nothing. */
export function context<const Given extends Extras = NoExtras>(
  addition: string,
  extras?: Given & Exact<Given>,
): Reply<"context", keyof Given> {
  return new Reply("context", text("context", "text", addition), extras);
}

/** Decides nothing, and says what only this event can be told: `respond({ displayContent: "…" })`. */
export function respond<const Given extends Extras>(extras: Given & Exact<Given>): Reply<"respond", keyof Given> {
  return new Reply("respond", undefined, extras);
}

const ABSTENTION: Reply<"abstain", never> = /* @__PURE__ */ new Reply("abstain", undefined, undefined);

/** No opinion. The same as returning nothing. */
export function abstain(): Reply<"abstain", never> {
  return ABSTENTION;
}

function text(of: string, what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${of}: the ${what} must be a string, got ${nameValue(value)}`);
}
