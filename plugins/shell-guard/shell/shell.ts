import type { Directories } from "../paths/directory.ts";
import type { Protected, Scope } from "../paths/protected.ts";
import type { Command, Pipeline } from "./command.ts";
import { Scanner } from "./scanner.ts";

/** The answer, as soon as nothing that is read later could change it. It is thrown: all readers end at once. */
export class Finding {
  readonly decision: "ask" | "deny";
  readonly reason: string;

  constructor(decision: "ask" | "deny", reason: string) {
    this.decision = decision;
    this.reason = reason;
  }
}

/** What ends a list of commands beside the end of the text. */
export type Until = "end" | ")" | "}" | "esac";

/** The two parts that need each other: reading finds commands to judge, and judging finds text to read. */
export interface Work {
  readonly readList: (shell: Shell, scanner: Scanner, until: Until, fetched: boolean) => void;
  readonly judge: (shell: Shell, command: Command, pipeline: Pipeline) => void;
}

const MAX_DEPTH = 32;

/**
 * Units of work, each some hundred fuel. The usual budget is 100,000,000 fuel and 1,000 for each byte of input; a text
 * that needs more ends here, with a reason, and not as a guard that failed.
 */
const MAX_WORK = 750_000;
const WORK_PER_CHARACTER = 4;
const WORK_PER_PATH = 2_500;
const WORK_PER_CHARACTER_OF_PATH = 40;

/** A shell that runs nothing: what the text read so far has set, and what it would do. */
export class Shell {
  /** Whether git commands that lose work are denied. */
  readonly gitHistory: boolean;
  readonly places: Protected;
  /** The variables that the text itself sets, so that `d=/etc; rm -rf $d` is seen for what it is. */
  readonly variables = new Map<string, readonly string[]>();
  /** The first reason to ask. A reason to deny that is found later outranks it. */
  asked: string | undefined;
  /** The function whose body is being read. */
  defining: string | undefined;
  /** How many commands were judged, and how many of them download. */
  commands = 0;
  downloads = 0;
  /** What the last command prints, where that can be read off its words. */
  printed: string | undefined;
  readonly #work: Work;
  #depth = 0;
  #left: number;

  constructor(places: Protected, gitHistory: boolean, characters: number, work: Work) {
    this.places = places;
    this.gitHistory = gitHistory;
    this.#left = MAX_WORK + WORK_PER_CHARACTER * characters;
    this.#work = work;
  }

  deny(reason: string): never {
    throw new Finding("deny", reason);
  }

  ask(reason: string): void {
    this.asked ??= reason;
  }

  /** Something is not closed. What was read of it is judged all the same. */
  doubt(why: string): void {
    this.ask(`this command could not be checked: ${why}`);
  }

  /** The text cannot be followed any further. What is behind this point is unknown, so a person has to look. */
  giveUp(why: string): never {
    throw new Finding("ask", this.asked ?? `this command could not be checked: ${why}`);
  }

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

  /** What is lost when this path goes with all that is in it, in words, or nothing. */
  protection(target: string, scope: Scope): string | undefined {
    this.spendOnPath(target);
    return this.places.protection(target, scope);
  }

  /** The directories, to change to one that is named so. */
  directoriesFor(to: string): Directories {
    this.spendOnPath(to);
    return this.places.directories;
  }

  spendOnPath(target: string): void {
    const { now, current } = this.places.directories;
    const parts = now.segments.length + (current?.before?.segments.length ?? 0);
    this.spend(WORK_PER_PATH + parts * 12 + target.length * WORK_PER_CHARACTER_OF_PATH);
  }

  judge(command: Command, pipeline: Pipeline): void {
    this.#work.judge(this, command, pipeline);
  }

  /** Reads commands to the end of the text or of the group, one level deeper. */
  readList(scanner: Scanner, until: Until, fetched: boolean): void {
    this.enter();
    this.#work.readList(this, scanner, until, fetched);
    this.leave();
  }

  /** The same in a shell of its own, whose `cd` ends with it. */
  readSubshell(scanner: Scanner, until: Until, fetched = false): void {
    const { directories } = this.places;
    const { current } = directories;
    this.readList(scanner, until, fetched);
    directories.current = current;
  }

  /** Judges a text that a shell will run: `sh -c`, `eval`, a here-document for a shell. */
  runScript(text: string): void {
    this.readSubshell(new Scanner(text), "end");
  }
}
