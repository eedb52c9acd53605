import type { Heredoc } from "./scanner.ts";

/** A simple command: its words after quote removal and expansion, and its redirections. */
export interface Command {
  words: string[];
  /** Start and end of each word in `source`. Empty unless the reader keeps places. */
  readonly places: number[];
  /** The text that contains the command. */
  readonly source: string;
  start: number;
  end: number;
  /** Whether the next command runs only if this command succeeds. */
  mustWork: boolean;
  /** The redirections. `undefined` for most commands. */
  redirections: Redirections | undefined;
}

interface Redirections {
  /** Files that the command writes to. */
  readonly writes: string[];
  readonly inputs: Input[];
}

/** A redirection of input. */
export interface Input {
  /** The number or `{name}` before the redirection. Empty for standard input. */
  readonly descriptor: string;
  /** The body of a `<<`, which starts after the end of the line. */
  readonly document?: Heredoc;
  /** The text of a `<<<`. */
  readonly text?: string;
  /** The file of a `<`. A copy of another descriptor has neither `document`, `text` nor `file`. */
  readonly file?: string;
}

export function newCommand(words: string[] = [], source = "", start = 0, places: number[] = []): Command {
  return { words, places, source, start, end: start, mustWork: false, redirections: undefined };
}

export function redirectionsOf(command: Command): Redirections {
  command.redirections ??= { writes: [], inputs: [] };
  return command.redirections;
}

export interface Pipeline {
  /** Whether the commands of the pipeline read the output of other commands. */
  piped: boolean;
  /** Whether the data came from the network. */
  fetched: boolean;
  /** The output of the last command, if it is known. */
  data: Data | undefined;
  /** How often the function being defined calls itself in this pipeline. */
  selfCalls: number;
}

/** The data that the next command of a pipeline receives. */
export interface Data {
  /** Whether the data was decoded from content that cannot be read. */
  readonly decoded?: boolean;
  /** The texts that the data consists of. */
  readonly inputs?: readonly Input[];
  /** The places below which the names in the data were found. */
  readonly found?: Found;
}

export interface Found {
  readonly roots: readonly string[];
  /** Whether the data contains only some of the names. */
  readonly filtered: boolean;
}

/** Creates a pipeline. A pipeline in a group reads the input of the group. */
export function newPipeline(from?: Pipeline): Pipeline {
  return { piped: from?.piped === true, fetched: from?.fetched === true, data: from?.data, selfCalls: 0 };
}
