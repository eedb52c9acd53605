import type { ErrorCode } from "./errors.ts";
import type { RuleException } from "./exception.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** What one rule said, or how its run failed. A failure is data and is never thrown. */

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

/** The activity that a run spent time on. Only `work` counts against the rule's `timeoutMs`. */
export type Phase = "start" | "configuration" | "queue" | "admission" | "compile" | "load" | "work";

export interface Failure {
  readonly kind: FailureKind;
  /** The phase in which the time ran out. Set only for timeouts. */
  readonly phase?: Phase;
  /** The code of the configuration problem or module refusal that kept the rule from running. */
  readonly code?: ErrorCode;
  /** One sentence with the cause. If a limit was exceeded, the sentence names the limit and the value. */
  readonly message: string;
  /** The limit that was exceeded, in the unit of the message. */
  readonly limit?: number;
  /** The value that exceeded the limit. */
  readonly value?: number;
}

/** The start of a message for a failure that the guard itself reported: an exception, or an error that it set. */
export const GUARD_REPORTED = "the guard reported an error: ";

/** One line for users: kind and message. Omits the kind if the guard reported an error, because no program exited. */
export function failureLine({ kind, message }: Failure): string {
  return message.startsWith(GUARD_REPORTED) ? message : `${kind}: ${message}`;
}

export type Decision = "allow" | "deny" | "ask" | "defer" | "block";

/** The reply of a hook. Fields without an effect at the event have been removed. */
export interface Reply {
  readonly decision?: Decision;
  readonly reason?: string;
  /** `false` stops the agent and outranks every decision. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly additionalContext?: readonly string[];
  readonly systemMessage?: string;
  readonly suppressOutput?: boolean;
  /** The new `tool_input`. If the event's `rewriteMode` is `patch`, contains only the fields that change. */
  readonly updatedInput?: JsonObject;
  readonly updatedOutput?: JsonValue;
  readonly updatedMessages?: readonly JsonValue[];
  readonly summary?: string;
  readonly followUp?: string;
  readonly metadata?: JsonObject;
  readonly approval?: JsonObject;
  /** Fields of `hookSpecificOutput` that belong to this event, such as `watchPaths`. Passed on unchanged. */
  readonly specific?: JsonObject;
}

/** The cost of a run. Times are wall-clock times. Byte counts are those of the encoded input and output. */
export interface Receipt {
  readonly micros: number;
  readonly inputBytes?: number;
  readonly outputBytes?: number;
  /** The `sha256:` digest of the module's file, for wasm rules. */
  readonly module?: string;
  /** The version of the guest ABI. */
  readonly abi?: number;
  /** The fuel that the guest used, in units of the cost model. Equal on every machine. */
  readonly fuel?: number;
  /** The version of the cost model. */
  readonly costModel?: number;
  /** The size of the guest's linear memory when it answered. */
  readonly memoryBytes?: number;
  /** The guard's grants, in the form of `grantWords`. */
  readonly grants?: readonly string[];
  /** `false` if a grant, such as a clock, allows another answer for the same event. */
  readonly deterministic?: false;
  /** The number of requests that the guard started, redirects included. Also set if the guard's call failed. */
  readonly requests?: number;
  /** The model that was asked: `PROVIDER/MODEL`. */
  readonly model?: string;
  /** The provider's count of tokens, for all turns together. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** The number of answers that the model gave. */
  readonly turns?: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** The end of a command's stderr, without control characters. */
  readonly stderr?: string;
  /** The lines that the guard logged. */
  readonly log?: readonly string[];
}

export type HookOutcome =
  | {
      readonly status: "decided";
      readonly reply: Reply;
      readonly receipt: Receipt;
      readonly dropped?: readonly string[];
    }
  | {
      readonly status: "abstained";
      readonly receipt: Receipt;
      readonly dropped?: readonly string[];
      /** The exception because of which the rule's refusal or question does not count. */
      readonly excepted?: RuleException;
    }
  | { readonly status: "failed"; readonly failure: Failure; readonly receipt: Receipt };

/** The result of an executor: a failure, or a reply that is not yet limited to the rule's `may`. */
export type RunResult =
  | {
      readonly ok: true;
      readonly reply: Reply;
      readonly receipt: Receipt;
      /** Parts of the answer that are unknown or have no effect at the event. */
      readonly ignored?: readonly string[];
      /** Set if the hook detached itself and is still running. Resolves to the hook's result; never rejects. */
      readonly detached?: Promise<RunResult>;
      readonly output?: string;
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly receipt: Receipt;
      /** The text that the hook printed. */
      readonly output?: string;
    };
