import type { HookEvent } from "./event.ts";
import type { Failure, Reply } from "./outcome.ts";
import type { AgentContract, Compat, Rule } from "./rule.ts";

/** What a finished child process leaves behind. */
export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The answer to an event that was sent to a web hook. */
export interface HttpResult {
  readonly status: number;
  /** Lower case, without parameters; empty when the server did not say. */
  readonly contentType: string;
  readonly body: string;
}

export type DecodedReply =
  | { readonly ok: true; readonly reply: Reply; readonly ignored?: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

export interface ReplyTerms {
  /** The rule closes on failure, so that an exit code other than 0 and 2 is one, whatever was printed. */
  readonly failsClosed: boolean;
  /** The rule wants its own replies read strictly, whatever the dialect does. */
  readonly strict?: boolean | undefined;
  /** The rule's name, for what the user is told of its hook. */
  readonly hook?: string | undefined;
  /** Whether it is to be read as the agent's page has it, where that is not what the agent does. */
  readonly compat?: Compat | undefined;
  /** The agent's contract that it is to be read by. Default: the newest. */
  readonly contract?: AgentContract | undefined;
}

/** A hook that answers "later": it goes on without being waited for, and decides nothing any more. */
export interface Detachment {
  /** From the reply on. `undefined`: the rule's own deadline. */
  readonly timeoutMs: number | undefined;
}

/** Where a rule comes from. */
export type RuleOrigin = Pick<Rule, "place" | "baseDir">;

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
  /** Status and body of a web hook's answer -> what it said. */
  decodeHttpReply(result: HttpResult, event: HookEvent, terms?: ReplyTerms): DecodedReply;
  /** Reads what a hook has put out so far. `undefined`: it is still to be waited for. */
  readDetachment(output: string): Detachment | undefined;
  /**
   * Variables that the agent adds to a command hook's environment. `undefined` takes one away that would be inherited.
   */
  environment(event: HookEvent, rule?: RuleOrigin): Readonly<Record<string, string | undefined>>;
  /** What a value of the rule's own `env` stands for when the hook is started. Default: itself. */
  expandVariable?(value: string, inherited: Readonly<Record<string, string | undefined>>): string;
  /** All names of a tool, given one of them: the agent's own, the canonical one. Default: it has no other. */
  toolSpellings?(name: string): readonly string[];
  /** Of a command of the agent's: what to write instead, where hookbox can do the same itself. */
  ownCommandFor?(command: string): string | undefined;
  /** What `${NAME}` means in the exec form, besides those variables. */
  placeholders?(event: HookEvent, rule: RuleOrigin): Readonly<Record<string, string>>;
  /** Of the process that hookbox runs in: a short list of harmless variables, or all but the keys to model providers. */
  readonly inheritedEnvironment: "listed" | "most";
  /** Where a command hook starts when it does not say: where the agent is, or where the rule's file is. */
  readonly startsAt: "agent" | "file";
  /**
   * Whether what a command hook left running in its process group goes on after a clean exit, as with the agent
   * itself. Our own rules are tidied up.
   */
  readonly keepsBackgroundProcesses: boolean;
}
