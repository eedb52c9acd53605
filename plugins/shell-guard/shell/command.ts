import { Heredoc } from "./heredoc";

// Most commands have none of these: they share one list of each, to which nothing may be added.
const NO_TEXTS: Array<string> = [];
const NO_DOCUMENTS: Array<Heredoc> = [];

/** One simple command: words after quote removal and expansion, and where its input and output go. */
export class Command {
  words: Array<string> = [];
  /** Files that redirections write to. */
  writes: Array<string> = NO_TEXTS;
  documents: Array<Heredoc> = NO_DOCUMENTS;
  /** The text of a `<<<`. */
  hereString: string | null = null;
  /** The next command runs only if this one worked. */
  mustWork: bool = false;

  addWrite(target: string): void {
    if (this.writes === NO_TEXTS) this.writes = [];
    this.writes.push(target);
  }

  addDocument(document: Heredoc): void {
    if (this.documents === NO_DOCUMENTS) this.documents = [];
    this.documents.push(document);
  }
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
  documents: Array<Heredoc> = NO_DOCUMENTS;
  /** It is names below these places, all of them or only some. */
  roots: Array<string> = NO_TEXTS;
  filtered: bool = false;
  /** How often the function that is being defined calls itself here. */
  selfCalls: i32 = 0;

  /** Forgets the data of the last command but not where it came from. */
  next(): void {
    this.text = null;
    this.documents = NO_DOCUMENTS;
    this.roots = NO_TEXTS;
    this.decoded = false;
  }
}
