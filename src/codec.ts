import type { HookEvent } from "./event.ts";
import type { Failure, Reply } from "./outcome.ts";

/** What a finished child process leaves behind. */
export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type DecodedReply =
  | { readonly ok: true; readonly reply: Reply; readonly ignored?: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

export interface ReplyTerms {
  /** The rule closes on failure, so that an exit code other than 0 and 2 is one, whatever was printed. */
  readonly failsClosed: boolean;
}

/**
 * How a rule's hook is spoken to, in the language of the agent that the hook was written for. A rule carries its
 * codec, so that executors never ask which agent it is.
 */
export interface Codec {
  readonly dialect: string;
  /** The JSON text that the hook reads from stdin or gets as a request body. */
  encodePayload(event: HookEvent): string;
  /** Exit code and output of a command hook -> what it said. */
  decodeReply(result: ProcessResult, event: HookEvent, terms?: ReplyTerms): DecodedReply;
  /** Variables that the agent adds to a command hook's environment. */
  environment(event: HookEvent): Readonly<Record<string, string>>;
  /**
   * Whether what a command hook left running in its process group goes on after a clean exit, as with the agent
   * itself. Our own rules are tidied up.
   */
  readonly keepsBackgroundProcesses: boolean;
}
