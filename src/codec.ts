import type { HookEvent } from "./event.ts";
import type { Failure, Reply } from "./outcome.ts";
import type { AgentContract, Compat, Rule } from "./rule.ts";

/** The result of a finished child process. */
export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The response of a web hook. */
export interface HttpResult {
  readonly status: number;
  /** In lower case, without parameters. Empty if the server sent none. */
  readonly contentType: string;
  readonly body: string;
}

export type DecodedReply =
  | { readonly ok: true; readonly reply: Reply; readonly ignored?: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

export interface ReplyTerms {
  /** The rule's gate closes on failure, so every exit code except 0 and 2 is a failure, whatever the hook printed. */
  readonly failsClosed: boolean;
  /** The rule's replies are read strictly, whatever the dialect does. */
  readonly strict?: boolean | undefined;
  /** The rule's name, for messages about the hook. */
  readonly hook?: string | undefined;
  /** Whether the reply is read as the agent's page says, if the agent itself does otherwise. */
  readonly compat?: Compat | undefined;
  /** The version of the agent's contract for reading the reply. Default: the newest. */
  readonly contract?: AgentContract | undefined;
}

/** A hook that detached itself: it continues in the background and decides nothing. */
export interface Detachment {
  /** Counts from the reply. Default: the rule's own timeout. */
  readonly timeoutMs: number | undefined;
}

/** The source of a rule. */
export type RuleOrigin = Pick<Rule, "place" | "baseDir">;

/**
 * Translates between events and the language of the agent that a hook was written for. A rule carries its codec, so
 * executors never ask which agent it is.
 */
export interface Codec {
  readonly dialect: string;
  /** The JSON text that the hook reads from stdin or receives as a request body. */
  encodePayload(event: HookEvent): string;
  /** Reads the exit code and output of a command hook. */
  decodeReply(result: ProcessResult, event: HookEvent, terms?: ReplyTerms): DecodedReply;
  /** Reads the status and body of a web hook's response. */
  decodeHttpReply(result: HttpResult, event: HookEvent, terms?: ReplyTerms): DecodedReply;
  /** Whether a hook detached itself, by its output so far. `undefined`: the caller waits for the hook. */
  readDetachment(output: string): Detachment | undefined;
  /**
   * Variables that the agent adds to a command hook's environment. `undefined` removes an inherited variable.
   */
  environment(event: HookEvent, rule?: RuleOrigin): Readonly<Record<string, string | undefined>>;
  /** Expands a value of the rule's own `env` when the hook starts. Default: no expansion. */
  expandVariable?(value: string, inherited: Readonly<Record<string, string | undefined>>): string;
  /** Returns all names of a tool, given one of them: the agent's names and the canonical one. Default: no other name. */
  toolSpellings?(name: string): readonly string[];
  /** If hookbox has a built-in hook for one of the agent's own commands, returns what to write instead. */
  ownCommandFor?(command: string): string | undefined;
  /** Values of `${NAME}` in the exec form, in addition to the variables. */
  placeholders?(event: HookEvent, rule: RuleOrigin): Readonly<Record<string, string>>;
  /** The inherited variables: a short list of harmless ones, or all except the keys of model providers. */
  readonly inheritedEnvironment: "listed" | "most";
  /** The default working directory of a command hook: the agent's, or the folder of the rule's file. */
  readonly startsAt: "agent" | "file";
  /**
   * Whether processes that a command hook left running continue after its clean exit, as with the agent itself. After
   * hooks of hookbox's own format they are ended.
   */
  readonly keepsBackgroundProcesses: boolean;
}
