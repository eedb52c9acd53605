import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearest } from "../dialects/suggest.ts";
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
  /** Whether standard error is a terminal, which can show what takes long. */
  readonly showsProgress?: boolean;
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
  /** What `parseVerbArgs` is given, for shell completion. */
  options?(): Options;
  /** Words that may follow the verb, for shell completion. */
  readonly actions?: readonly string[];
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

/** For a word that is none of those that are known, with the one that it nearly is. */
export function unknownWord(message: string, word: string, known: readonly string[], prefix = ""): HookError {
  const meant = nearest(word, known);
  const hint = meant === undefined ? HELP : `did you mean "${prefix}${meant}"? ${HELP}`;
  return new HookError("HOOK_CLI_USAGE", message, { hint });
}
