import type { ErrorCode } from "./errors.ts";
import type { JsonObject, JsonValue } from "./event.ts";

/** What one rule said, or how it failed. A failure is data: nothing in this file is ever thrown. */

export const FAILURE_KINDS = [
  "timeout",
  "fuel",
  "stack",
  "memory",
  "trap",
  "exit",
  "signal",
  "spawn",
  "output-too-large",
  "invalid-output",
  "no-output",
  "capability",
  "integrity",
  "turns",
  "unavailable",
  "cancelled",
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What a run was busy with. Only `work` counts against the rule's `timeoutMs`. */
export type Phase = "start" | "configuration" | "queue" | "admission" | "compile" | "load" | "work";

export interface Failure {
  readonly kind: FailureKind;
  /** Set where a clock ran out: what the rule was busy with at that moment. */
  readonly phase?: Phase;
  /** Why the rule could not run at all: a problem of its configuration or module. */
  readonly code?: ErrorCode;
  /** One sentence that names the cause, and the limit and value where there is one. */
  readonly message: string;
  /** The bound that was hit, in the unit that the message names. */
  readonly limit?: number;
  /** What was seen instead. */
  readonly value?: number;
}

/** Begins the message of a failure that a guard has reported: an exception that it threw, or an error that it set. */
export const GUARD_REPORTED = "the guard reported an error: ";

/** One line for people: the kind and the message. An error that a guard reported is no exit code of a program. */
export function failureLine({ kind, message }: Failure): string {
  return message.startsWith(GUARD_REPORTED) ? message : `${kind}: ${message}`;
}

export type Decision = "allow" | "deny" | "ask" | "defer" | "block";

/**
 * Everything that a hook can say besides how it failed. Fields that the event does not honour are removed before an
 * outcome is made, so that whatever stands here counts.
 */
export interface Reply {
  readonly decision?: Decision;
  readonly reason?: string;
  /** `false` stops the agent, and outranks any decision. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly additionalContext?: readonly string[];
  readonly systemMessage?: string;
  readonly suppressOutput?: boolean;
  /** Whole replacement of `tool_input`. */
  readonly updatedInput?: JsonObject;
  readonly updatedOutput?: JsonValue;
  readonly updatedMessages?: readonly JsonValue[];
  readonly summary?: string;
  readonly followUp?: string;
  readonly metadata?: JsonObject;
  readonly approval?: JsonObject;
  /** Fields of `hookSpecificOutput` that only this event has, e.g. `watchPaths`; passed on as they are. */
  readonly specific?: JsonObject;
}

/** What a run cost. Times are wall clock; bytes are of the encoded input and output. */
export interface Receipt {
  readonly micros: number;
  readonly inputBytes?: number;
  readonly outputBytes?: number;
  /** `sha256:` digest of the module's file, for wasm rules. */
  readonly module?: string;
  /** The guest ABI version that the module was run under. */
  readonly abi?: number;
  /** Work that the guest did, in units of the cost model: the same on every machine. */
  readonly fuel?: number;
  /** Version of that cost model. */
  readonly costModel?: number;
  /** Size of the guest's linear memory when it answered. */
  readonly memoryBytes?: number;
  /** What the guard was granted, as `grantWords` has it. */
  readonly grants?: readonly string[];
  /** `false` where a grant lets the same event be answered otherwise another time. */
  readonly deterministic?: false;
  /** Requests that were begun for a guard with a grant of hosts, redirects included, even if its call has failed. */
  readonly requests?: number;
  /** `PROVIDER/MODEL` that was asked. */
  readonly model?: string;
  /** Tokens as the provider counts them, of all turns together. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Answers of the model. */
  readonly turns?: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** The tail of what a command wrote to stderr, cleaned for terminals. */
  readonly stderr?: string;
  /** Lines that a guard logged. */
  readonly log?: readonly string[];
}

export type HookOutcome =
  | {
      readonly status: "decided";
      readonly reply: Reply;
      readonly receipt: Receipt;
      readonly dropped?: readonly string[];
    }
  | { readonly status: "abstained"; readonly receipt: Receipt; readonly dropped?: readonly string[] }
  | { readonly status: "failed"; readonly failure: Failure; readonly receipt: Receipt };

/** What an executor reports: a reply that is not yet checked against what its rule may say, or a failure. */
export type RunResult =
  | {
      readonly ok: true;
      readonly reply: Reply;
      readonly receipt: Receipt;
      /** Parts of the answer that the event does not honour, or that nobody defines. */
      readonly ignored?: readonly string[];
      /** The hook has detached itself and is still at work; settles with what became of it, and never rejects. */
      readonly detached?: Promise<RunResult>;
      readonly output?: string;
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly receipt: Receipt;
      /** What the hook printed, where it printed text. */
      readonly output?: string;
    };
