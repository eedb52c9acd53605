import { NOWHERE, type Path, ROOT, resolve, WORKING } from "./path.ts";

interface Directory {
  readonly now: Path;
  /** The previous directory, in which the command may also run if a `cd` may have failed. */
  readonly before: Path | undefined;
  /** The directory of `cd -`. */
  readonly last: Path;
  /** The directory of `popd`, and the directories after it. */
  readonly pushed: Pushed | undefined;
}

interface Pushed {
  readonly path: Path;
  readonly next: Pushed | undefined;
}

/** The directory in which a command runs, updated by every `cd`. */
export class Directories {
  /** The directory after the last `cd`. `undefined` before the first `cd`. */
  current: Directory | undefined;
  readonly #cwd: string;
  #start: Path | undefined;

  /** Starts in the event's working directory, if the event has one. */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The agent's working directory. */
  get working(): Path {
    this.#start ??= this.#cwd.startsWith("/") ? resolve(ROOT, this.#cwd) : WORKING;
    return this.#start;
  }

  get now(): Path {
    return this.current?.now ?? this.working;
  }

  /** Follows `cd`. `-` is the previous directory. */
  change(to: string, worked: boolean): void {
    this.#go(to === "-" ? this.#last : resolve(this.now, to), worked, this.current?.pushed);
  }

  /** Follows `pushd`. Without a directory, `pushd` swaps the two top entries. */
  push(to: string | undefined, worked: boolean): void {
    const pushed = this.current?.pushed;
    // `pushd +2` rotates the whole stack, which this class does not follow.
    if (to !== undefined && /^[-+]\d/.test(to)) this.#go(NOWHERE, worked, pushed);
    else if (to !== undefined) this.#go(resolve(this.now, to), worked, { path: this.now, next: pushed });
    else this.#go(pushed?.path ?? NOWHERE, worked, { path: this.now, next: pushed?.next });
  }

  pop(worked: boolean): void {
    const pushed = this.current?.pushed;
    this.#go(pushed?.path ?? NOWHERE, worked, pushed?.next);
  }

  /** The previous directory. Before the first `cd` of the text, it depends on earlier commands and is unknown. */
  get #last(): Path {
    return this.current?.last ?? NOWHERE;
  }

  #go(now: Path, worked: boolean, pushed: Pushed | undefined): void {
    const from = this.now;
    this.current = { now, before: worked ? undefined : from, last: from, pushed };
  }
}
