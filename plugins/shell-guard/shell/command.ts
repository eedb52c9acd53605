import { Heredoc } from "./heredoc";

/** One simple command: words after quote removal and expansion, and where its input and output go. */
export class Command {
  words: Array<string> = [];
  /** Files that redirections write to. */
  writes: Array<string> = [];
  documents: Array<Heredoc> = [];
  /** The text of a `<<<`. */
  hereString: string | null = null;
  /** The next command runs only if this one worked. */
  mustWork: bool = false;
}

/** What is known about the data that flows to the next command of a pipeline. */
export class Pipeline {
  /** It came from the network. */
  fetched: bool = false;
  /** It was decoded from something that nobody can read. */
  decoded: bool = false;
  /** It is this text. */
  text: string | null = null;
  /** It is the body of these. */
  documents: Array<Heredoc> = [];
  /** It is names below these places, all of them or only some. */
  roots: Array<string> = [];
  filtered: bool = false;
  /** How often the function that is being defined calls itself here. */
  selfCalls: i32 = 0;

  /** Forgets the data of the last command but not where it came from. */
  next(): void {
    this.text = null;
    this.documents = [];
    this.roots = [];
    this.decoded = false;
  }
}
