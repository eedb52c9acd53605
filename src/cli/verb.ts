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
  /** What to exit with should anything go wrong from here on that nobody catches. Until then it is a refusal. */
  onDefect(exitCode: number): void;
  /** Ends the process by force once its output is out: a thread is stuck where nothing else reaches it. */
  endForGood(): void;
}

export interface Verb {
  readonly summary: string;
  readonly usage: string;
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
