import { type Path, ROOT, resolve, WORKING } from "./path.ts";

export interface Directory {
  readonly now: Path;
  /** After a `cd` that may have failed the command may also run where it was before. */
  readonly before: Path | undefined;
}

/** The directory in which a command runs, followed through every `cd`. */
export class Directories {
  /** Where the last `cd` led; nothing as long as there was none. */
  current: Directory | undefined;
  readonly #cwd: string;
  #start: Path | undefined;

  /** Starts in the working directory of the event, if that says one. */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The directory that the agent works in. */
  get working(): Path {
    this.#start ??= this.#cwd.startsWith("/") ? resolve(ROOT, this.#cwd) : WORKING;
    return this.#start;
  }

  get now(): Path {
    return this.current?.now ?? this.working;
  }

  change(to: string, worked: boolean): void {
    const from = this.now;
    this.current = { now: resolve(from, to), before: worked ? undefined : from };
  }
}
