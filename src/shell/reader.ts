import { type Command, newPipeline, type Pipeline } from "./command.ts";
import { type Heredoc, Scanner } from "./scanner.ts";

/** What ends a list of commands, apart from the end of the text. */
export type Until = "end" | ")" | "}" | "esac";

export type ReadList = (reader: ShellReader, scanner: Scanner, until: Until, from: Pipeline) => void;

const MAX_DEPTH = 32;

/**
 * What the grammar reports to. A subclass decides what a command means; the grammar finds all commands of a text that
 * may run. Work is counted in units of some hundred fuel, so that reading ends within a bound that grows with the text.
 */
export abstract class ShellReader {
  /** How many of the commands read so far fetch something from the network. */
  downloads = 0;
  /** The function whose body is being read. */
  defining: string | undefined;
  /** The text has arithmetic, or something like it, that evaluates the values of variables. */
  evaluates = false;
  /** How many compound commands wait for their `fi` or `done`. */
  unfinished = 0;
  /** How many command substitutions are open. */
  substitutions = 0;
  /**
   * Whether the likely value stands for an expansion: the default of `${x:-y}`, the usual home of `~user`. Otherwise
   * every expansion is unknown.
   */
  readonly guesses: boolean;
  /** Whether commands say where their words stand in the text. */
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

  /** Takes one simple command, with its words expanded as far as they are known. */
  abstract take(command: Command, pipeline: Pipeline): void;

  /** Something is not closed, or may mean two things. Reading goes on. */
  abstract doubt(why: string): void;

  /** The text cannot be followed any further. Throws. */
  abstract giveUp(why: string): never;

  /** Reads the commands of a substitution, up to `)` or the end, and returns what they print, or an unknown text. */
  abstract substitute(scanner: Scanner): string;

  /** The values that a variable may have, or `undefined` if they are not known. */
  abstract valuesOf(name: string): readonly string[] | undefined;

  abstract assign(name: string, values: readonly string[]): void;

  /** Takes the body of a here-document that a shell reads as its script. */
  runDocument(_document: Heredoc, body: string): void {
    this.runScript(body);
  }

  /** Takes the body of a here-document that is data. */
  takeDocument(_body: string): void {}

  /** Takes a literal part of an expansion: a default, a pattern, what replaces it. */
  takeOperand(_text: string): void {}

  /** Called behind the last command of a pipeline, with its place in the text. */
  endPipeline(_pipeline: Pipeline, _scanner: Scanner, _start: number): void {}

  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) this.giveUp("it is too long, or becomes too long when it is expanded");
  }

  /** Goes one level deeper. Pair with leave(). */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.giveUp("nested too deeply");
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Reads commands to the end of the text or of the group, one level deeper. */
  readList(scanner: Scanner, until: Until, from: Pipeline): void {
    this.enter();
    this.#readList(this, scanner, until, from);
    this.leave();
  }

  /** The same in a shell of its own. */
  readSubshell(scanner: Scanner, until: Until, from: Pipeline = newPipeline()): void {
    this.readList(scanner, until, from);
  }

  /** Reads a text that a shell will run: `sh -c`, `eval`, a here-document for a shell. */
  runScript(text: string): void {
    this.readSubshell(new Scanner(text), "end");
  }
}
