import type { Place } from "./errors.ts";
import type { HookEvent } from "./event.ts";
import type { Failure, Reply } from "./outcome.ts";
import { cleanLine } from "./text.ts";

/** `safer` closes gates that an agent's own rules leave open after a failure. `faithful` follows the agent's page. */
export type Compat = "safer" | "faithful";

/** The contract that an agent's hooks were written for, named by the agent's first version with that contract. */
export type AgentContract = "2.1.240" | "2.1.295";

/** The result of a finished child process. */
export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The response of a web hook. */
export interface HttpResult {
  readonly status: number;
  /** The media type in lower case, without parameters. Empty if the server sent none. */
  readonly contentType: string;
  readonly body: string;
}

export type DecodedReply =
  | { readonly ok: true; readonly reply: Reply; readonly ignored?: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

export interface ReplyOptions {
  /** Whether the rule's gate closes on failure. Every exit code except 0 and 2 is then a failure. */
  readonly failsClosed: boolean;
  /** Whether the rule's replies are read strictly, regardless of the dialect. */
  readonly strict?: boolean | undefined;
  /** The rule's name, for messages about the hook. */
  readonly hook?: string | undefined;
  /** Whether to follow the agent's page where the agent itself behaves differently. */
  readonly compat?: Compat | undefined;
  /** The version of the agent's contract for reading the reply. Default: the newest. */
  readonly contract?: AgentContract | undefined;
}

/** The state of a hook that detached itself. The hook continues in the background and decides nothing. */
export interface Detachment {
  /** The time limit, which starts at the reply. Default: the rule's own timeout. */
  readonly timeoutMs: number | undefined;
}

/** The source of a rule. */
export interface RuleOrigin {
  readonly place: Place | undefined;
  /** The base folder for relative paths and commands. */
  readonly baseDir: string;
}

/**
 * Translates between events and the language of the agent that a hook was written for. Each rule carries its codec, so
 * executors never ask which agent the rule is for.
 */
export interface Codec {
  readonly dialect: string;
  /** The JSON text that the hook reads from stdin or receives as a request body. */
  encodePayload(event: HookEvent): string;
  /** Reads the exit code and output of a command hook. */
  decodeReply(result: ProcessResult, event: HookEvent, options?: ReplyOptions): DecodedReply;
  /** Reads the status and body of a web hook's response. */
  decodeHttpReply(result: HttpResult, event: HookEvent, options?: ReplyOptions): DecodedReply;
  /** Returns the detachment if the hook's output detaches the hook. `undefined`: the caller waits for the hook. */
  readDetachment(output: string): Detachment | undefined;
  /** Variables that the agent adds to a command hook's environment. `undefined` removes an inherited variable. */
  environment(event: HookEvent, rule?: RuleOrigin): Readonly<Record<string, string | undefined>>;
  /** Expands a value of the rule's own `env` when the hook starts. Default: no expansion. */
  expandVariable?(value: string, inherited: Readonly<Record<string, string | undefined>>): string;
  /** Returns all names of a tool: the agent's names and the canonical name. Default: no other name. */
  toolSpellings?(name: string): readonly string[];
  /** Returns what to write instead of an agent's own command, if hookbox has a built-in hook for the command. */
  ownCommandFor?(command: string): string | undefined;
  /** Values of `${NAME}` in the exec form, in addition to the variables. */
  placeholders?(event: HookEvent, rule: RuleOrigin): Readonly<Record<string, string>>;
  /** The inherited variables: a short list of harmless variables, or all except the keys of model providers. */
  readonly inheritedEnvironment: "listed" | "most";
  /** The default working directory of a command hook: the agent's, or the folder of the rule's file. */
  readonly startsAt: "agent" | "file";
  /**
   * Whether processes that a command hook left running continue after the hook's clean exit, as with the agent itself.
   * Processes of hooks in hookbox's own format are ended.
   */
  readonly keepsBackgroundProcesses: boolean;
}

/** What the codecs of most agents have in common. */
export const AGENT_CODEC = {
  readDetachment: () => undefined,
  environment: () => ({}),
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
} as const satisfies Partial<Codec>;

export function failedReply(failure: Failure): DecodedReply {
  return { ok: false, failure };
}

/** Returns the failure of an exit code without meaning, with the first line of the error output. */
export function exitFailure({ exitCode, stderr }: ProcessResult): DecodedReply {
  const said = cleanLine(stderr.trim().split("\n", 1)[0] ?? "", 300);
  const message = `ended with exit code ${exitCode}${said === "" ? "" : `: ${said}`}`;
  return failedReply({ kind: "exit", message, limit: 0, value: exitCode });
}

/** Returns the failure of a web hook's status, or `undefined` for a status of success. */
export function statusFailure({ status }: HttpResult): DecodedReply | undefined {
  if (status >= 200 && status <= 299) return undefined;
  return failedReply({ kind: "unavailable", message: `answered with status ${status}`, value: status });
}
