import type { Heredoc } from "./scanner.ts";

/** One simple command: words after quote removal and expansion, and where its input and output go. */
export interface Command {
  words: string[];
  /** The next command runs only if this one worked. */
  mustWork: boolean;
  /** Most commands have none. */
  redirections: Redirections | undefined;
}

export interface Redirections {
  /** Files that are written to. */
  readonly writes: string[];
  readonly documents: Heredoc[];
  /** The text of a `<<<`. */
  hereString: string | undefined;
}

export function newCommand(words: string[] = []): Command {
  return { words, mustWork: false, redirections: undefined };
}

export function redirectionsOf(command: Command): Redirections {
  command.redirections ??= { writes: [], documents: [], hereString: undefined };
  return command.redirections;
}

export interface Pipeline {
  /** Its data came from the network. */
  fetched: boolean;
  /** What the last command hands on, as far as that is known. */
  data: Data | undefined;
  /** How often the function that is being defined calls itself here. */
  selfCalls: number;
}

/** What flows to the next command of a pipeline. */
export interface Data {
  /** It was decoded from something that nobody can read. */
  readonly decoded?: boolean;
  /** It is this text. */
  readonly text?: string | undefined;
  /** It is the body of these. */
  readonly documents?: readonly Heredoc[];
  /** It is names below these places. */
  readonly found?: Found;
}

export interface Found {
  readonly roots: readonly string[];
  /** Only some of the names. */
  readonly filtered: boolean;
}

export function newPipeline(fetched: boolean): Pipeline {
  return { fetched, data: undefined, selfCalls: 0 };
}
