import { type ParseArgsConfig, parseArgs } from "node:util";
import { describeThrown, HookError } from "../errors.ts";

/** What a command is given and answers with. Nothing below `main` touches the process. */
export interface Console {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  write(text: string): void;
  writeError(text: string): void;
  /** What somebody types in answer, or `undefined` where nobody sits. */
  ask(question: string): Promise<string | undefined>;
  /** Whether people look at the output, and colours help. */
  readonly colour: boolean;
  /** Whether somebody sits there who can be shown a menu. */
  readonly hasTerminal?: boolean;
  readonly cwd: string;
  /** Since when somebody waits, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Resolves when somebody has had enough (Ctrl-C), for verbs that go on until then. */
  untilInterrupted(): Promise<void>;
  /**
   * What to answer if a signal ends the process before the reply, or nobody catches an error, or the reply cannot be
   * written. Default: exit code 2 and nothing on standard output.
   */
  onDefect(answer: (reason: string) => LastAnswer): void;
  /** The reply has been written. A signal from now on ends the process with this exit code. */
  onReplied(exitCode: number): void;
  /**
   * Ends the process by force once its output is out, because an ordinary exit would wait: for a thread that is stuck in
   * a guest's loop, or for a file system that does not answer.
   */
  endForGood(stuck: "threads" | "files"): void;
}

export interface LastAnswer {
  readonly exitCode: number;
  /** What the agent reads as a refusal, where it does not go by the exit code. */
  readonly stdout: string;
}

export interface Verb {
  readonly summary: string;
  /** A function for texts that are loaded on use. */
  readonly usage: string | (() => Promise<string>);
  /** Resolves to the exit code. */
  run(args: readonly string[], console: Console): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Command-line mistakes with our code and a hint, in place of Node's own error. */
export function parseVerbArgs<const Config extends Options>(
  args: readonly string[],
  options: Config,
): ReturnType<typeof parseArgs<{ args: string[]; options: Config; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw usageError(describeThrown(error).replace(/\. To specify.*$/s, ""));
  }
}

export function usageError(message: string): HookError {
  return new HookError("HOOK_CLI_USAGE", message, { hint: "hookbox --help" });
}
