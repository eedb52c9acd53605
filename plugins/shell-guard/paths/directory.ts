import { NOWHERE, type Path, ROOT, resolve, WORKING } from "./path.ts";

export interface Directory {
  readonly now: Path;
  /** After a `cd` that may have failed the command may also run where it was before. */
  readonly before: Path | undefined;
  /** Where `cd -` leads back to. */
  readonly last: Path;
  /** Where `popd` leads back to, and what comes after that. */
  readonly pushed: Pushed | undefined;
}

interface Pushed {
  readonly path: Path;
  readonly next: Pushed | undefined;
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

  /** `cd`, with `-` for the directory before. */
  change(to: string, worked: boolean): void {
    this.#go(to === "-" ? this.#last : resolve(this.now, to), worked, this.current?.pushed);
  }

  /** `pushd`; without a directory it swaps the two on top. */
  push(to: string | undefined, worked: boolean): void {
    const pushed = this.current?.pushed;
    // `pushd +2` turns the whole stack.
    if (to !== undefined && /^[-+]\d/.test(to)) this.#go(NOWHERE, worked, pushed);
    else if (to !== undefined) this.#go(resolve(this.now, to), worked, { path: this.now, next: pushed });
    else this.#go(pushed?.path ?? NOWHERE, worked, { path: this.now, next: pushed?.next });
  }

  /** `popd`. */
  pop(worked: boolean): void {
    const pushed = this.current?.pushed;
    this.#go(pushed?.path ?? NOWHERE, worked, pushed?.next);
  }

  /** Before the first `cd` of the text it is what an earlier command left. */
  get #last(): Path {
    return this.current?.last ?? NOWHERE;
  }

  #go(now: Path, worked: boolean, pushed: Pushed | undefined): void {
    const from = this.now;
    this.current = { now, before: worked ? undefined : from, last: from, pushed };
  }
}
