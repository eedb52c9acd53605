import { type Command, newPipeline, type Pipeline } from "./command.ts";
import { type Heredoc, Scanner } from "./scanner.ts";

/** The end of a list of commands, other than the end of the text. */
export type Until = "end" | ")" | "}" | "esac";

type ReadList = (reader: ShellReader, scanner: Scanner, until: Until, from: Pipeline) => void;

const MAX_DEPTH = 32;

/**
 * The interface that the parser reports to. A subclass decides what a command means; the parser finds all commands of a
 * text that may run. Work is counted in units of a few hundred fuel, so that reading ends within a limit that is
 * proportional to the text.
 */
export abstract class ShellReader {
  /** How many of the commands so far download from the network. */
  downloads = 0;
  /** The function whose body is being read. */
  defining: string | undefined;
  /** Whether the text contains arithmetic, or a similar construct that evaluates the values of variables. */
  evaluates = false;
  /** Whether a word so far has a wildcard. */
  globs = false;
  /** Number of compound commands without their `fi` or `done` so far. */
  unfinished = 0;
  /** Number of open command substitutions. */
  substitutions = 0;
  /**
   * Whether an expansion is replaced by its likely value: the default of `${x:-y}`, the usual home of `~user`. If not,
   * every expansion is unknown.
   */
  readonly guesses: boolean;
  /** Whether commands record the places of their words in the text. */
  readonly keepsPlaces: boolean;
  readonly #readList: ReadList;
  #depth = 0;
  #left: number;

  constructor(readList: ReadList, maxWork: number, { guesses = true, keepsPlaces = false } = {}) {
    this.#readList = readList;
    this.#left = maxWork;
    this.guesses = guesses;
    this.keepsPlaces = keepsPlaces;
  }

  /** Takes one simple command. Known expansions in its words are already made. */
  abstract take(command: Command, pipeline: Pipeline): void;

  /** Records that a construct is not closed or is ambiguous. Reading continues. */
  abstract doubt(why: string): void;

  /** Stops reading, because the rest of the text cannot be understood. Throws. */
  abstract giveUp(why: string): never;

  /** Reads the commands of a substitution, up to `)` or the end. Returns their output, or an unknown text. */
  abstract substitute(scanner: Scanner): string;

  /** Returns the values that a variable may have. Returns `undefined` if the values are unknown. */
  abstract valuesOf(name: string): readonly string[] | undefined;

  abstract assign(name: string, values: readonly string[]): void;

  /** Takes the body of a here-document that a shell reads as its script. */
  runDocument(_document: Heredoc, body: string): void {
    this.runScript(body);
  }

  /** Takes the body of a here-document that is data. */
  takeDocument(_body: string): void {}

  /** Takes a literal part of an expansion: a default, a pattern, or a replacement. */
  takeOperand(_text: string): void {}

  /** Takes a quoted text in which the shell makes expansions once more. */
  evaluateText(_text: string): void {
    this.doubt("a quoted text is evaluated again");
  }

  /** Takes the rest of the text after a sign that some shells read differently. */
  readDifferently(why: string, _rest: string): void {
    this.doubt(why);
  }

  /** Takes a word that is quoted or expanded and contains blanks or signs, so that it may be a command as text. */
  takeText(_word: string): void {}

  /** Called after the last command of a pipeline, with the place of the pipeline in the text. */
  endPipeline(_pipeline: Pipeline, _scanner: Scanner, _start: number): void {}

  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) this.giveUp("it is too long, or becomes too long when it is expanded");
  }

  /** Whether the work for the text is used up. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Goes one level deeper. Pair each call with `leave()`. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.giveUp("nested too deeply");
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Reads a part. If reading the part throws, the reader continues at its own level. */
  restoring(read: () => void): void {
    const { defining, substitutions } = this;
    const depth = this.#depth;
    try {
      read();
    } finally {
      this.#depth = depth;
      this.defining = defining;
      this.substitutions = substitutions;
    }
  }

  /** Reads commands to the end of the text or of the group, one level deeper. */
  readList(scanner: Scanner, until: Until, from: Pipeline): void {
    this.enter();
    this.#readList(this, scanner, until, from);
    this.leave();
  }

  /** Like `readList`, for commands that run in a subshell. */
  readSubshell(scanner: Scanner, until: Until, from: Pipeline = newPipeline()): void {
    this.readList(scanner, until, from);
  }

  /** Reads a text that a shell will run: `sh -c`, `eval`, a here-document for a shell. */
  runScript(text: string): void {
    this.readSubshell(new Scanner(text), "end");
  }
}
