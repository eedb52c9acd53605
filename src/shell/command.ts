import type { Heredoc } from "./scanner.ts";

/** One simple command: words after quote removal and expansion, and where its input and output go. */
export interface Command {
  words: string[];
  /** The beginning and the end of each word in `source`. Empty unless the reader keeps places. */
  readonly places: number[];
  /** The text that the command is part of. */
  readonly source: string;
  start: number;
  end: number;
  /** The next command runs only if this one worked. */
  mustWork: boolean;
  /** Most commands have none. */
  redirections: Redirections | undefined;
}

export interface Redirections {
  /** Files that are written to. */
  readonly writes: string[];
  readonly inputs: Input[];
}

/** One redirection of input. */
export interface Input {
  /** The number or `{name}` before it; empty for standard input. */
  readonly descriptor: string;
  /** The body of a `<<`, which follows behind the end of the line. */
  readonly document?: Heredoc;
  /** The text of a `<<<`. */
  readonly text?: string;
  /** The file of a `<`. A copy of another descriptor has none of the three. */
  readonly file?: string;
}

export function newCommand(words: string[] = [], source = "", start = 0): Command {
  return { words, places: [], source, start, end: start, mustWork: false, redirections: undefined };
}

export function redirectionsOf(command: Command): Redirections {
  command.redirections ??= { writes: [], inputs: [] };
  return command.redirections;
}

export interface Pipeline {
  /** Its commands read the output of others. */
  piped: boolean;
  /** Its data came from the network. */
  fetched: boolean;
  /** What the last command hands on, as far as that is known. */
  data: Data | undefined;
  /** How often the function that is being defined calls itself here. */
  selfCalls: number;
}

/** What flows to the next command of a pipeline. */
export interface Data {
  /** It was decoded from something that cannot be read. */
  readonly decoded?: boolean;
  /** It is these texts. */
  readonly inputs?: readonly Input[];
  /** It is names below these places. */
  readonly found?: Found;
}

export interface Found {
  readonly roots: readonly string[];
  /** Only some of the names. */
  readonly filtered: boolean;
}

/** A pipeline in a group reads what flows into the group. */
export function newPipeline(from?: Pipeline): Pipeline {
  return { piped: from?.piped === true, fetched: from?.fetched === true, data: from?.data, selfCalls: 0 };
}
