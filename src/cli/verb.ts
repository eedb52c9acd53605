import { type ParseArgsConfig, parseArgs } from "node:util";
import { describeThrown, HookError } from "../errors.ts";
import { nearest } from "../suggest.ts";

/** The interface between a verb and the process. Only `main` touches the process itself. */
export interface Console {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  write(text: string): void;
  writeError(text: string): void;
  /** Asks the user. Resolves to the answer, or to `undefined` without a terminal. */
  ask(question: string): Promise<string | undefined>;
  /** Whether to colour standard output. */
  readonly colour: boolean;
  /** Whether standard input and output are a terminal that can show a menu. */
  readonly hasTerminal?: boolean;
  /** Whether standard error is a terminal that can show progress. */
  readonly showsProgress?: boolean;
  readonly cwd: string;
  /** When the caller began to wait, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Resolves at the first signal that would end the process, such as Ctrl-C. For verbs that run until the signal. */
  untilInterrupted(): Promise<void>;
  /**
   * Sets the answer for three cases: a signal ends the process before the reply, an error is not caught, or the reply
   * cannot be written. Default: exit code 2 and nothing on standard output.
   */
  onDefect(answer: (reason: string) => LastAnswer): void;
  /** Tells the process that the reply was written. A later signal ends the process with this exit code. */
  onReplied(exitCode: number): void;
  /**
   * Makes the process end by force after its output was written. An ordinary exit would wait for a thread that is stuck
   * in a guest's loop, or for a file system that does not answer.
   */
  endForGood(stuck: "threads" | "files"): void;
}

export interface LastAnswer {
  readonly exitCode: number;
  /** The refusal for agents that ignore exit codes. */
  readonly stdout: string;
}

export interface Verb {
  readonly summary: string;
  /** The help. A function if the text is loaded on use. */
  readonly usage: string | (() => Promise<string>);
  /** The options for `parseVerbArgs`, for shell completion. */
  options?(): Options;
  /** Words that may follow the verb, for shell completion. */
  readonly actions?: readonly string[];
  /** Runs the verb. Resolves to the exit code. */
  run(args: readonly string[], console: Console): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Like `parseArgs`, but throws a `HookError` with a hint for a wrong command line. */
export function parseVerbArgs<const Config extends Options>(
  args: readonly string[],
  options: Config,
): ReturnType<typeof parseArgs<{ args: string[]; options: Config; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const message = describeThrown(error).replace(/\. To specify.*$/s, "");
    const [, written] = /^Unknown option '--(.+)'$/.exec(message) ?? [];
    throw written === undefined ? usageError(message) : unknownWord(message, written, Object.keys(options), "--");
  }
}

export function usageError(message: string): HookError {
  return new HookError("HOOK_CLI_USAGE", message, { hint: HELP });
}

/** The last line of a usage error. `runCommandLine` adds the verb. */
export const HELP = "hookbox --help";

/** Returns the error for an unknown word, with a hint at the most similar known word. */
export function unknownWord(message: string, word: string, known: readonly string[], prefix = ""): HookError {
  const meant = nearest(word, known);
  const hint = meant === undefined ? HELP : `did you mean "${prefix}${meant}"? ${HELP}`;
  return new HookError("HOOK_CLI_USAGE", message, { hint });
}
