import { NOWHERE, type Path, ROOT, resolve, WORKING } from "./path.ts";

interface Directory {
  readonly now: Path;
  /** If a `cd` may have failed, the command may also run in this directory. */
  readonly before: Path | undefined;
  /** The directory of `cd -`. */
  readonly last: Path;
  /** The directory of `popd`, and the ones after it. */
  readonly pushed: Pushed | undefined;
}

interface Pushed {
  readonly path: Path;
  readonly next: Pushed | undefined;
}

/** The directory in which a command runs, updated by every `cd`. */
export class Directories {
  /** The directory after the last `cd`. `undefined` before the first one. */
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

  /** `cd`. `-` is the previous directory. */
  change(to: string, worked: boolean): void {
    this.#go(to === "-" ? this.#last : resolve(this.now, to), worked, this.current?.pushed);
  }

  /** `pushd`. Without a directory it swaps the two top entries. */
  push(to: string | undefined, worked: boolean): void {
    const pushed = this.current?.pushed;
    // `pushd +2` rotates the whole stack, which is not followed.
    if (to !== undefined && /^[-+]\d/.test(to)) this.#go(NOWHERE, worked, pushed);
    else if (to !== undefined) this.#go(resolve(this.now, to), worked, { path: this.now, next: pushed });
    else this.#go(pushed?.path ?? NOWHERE, worked, { path: this.now, next: pushed?.next });
  }

  pop(worked: boolean): void {
    const pushed = this.current?.pushed;
    this.#go(pushed?.path ?? NOWHERE, worked, pushed?.next);
  }

  /** Before the first `cd` of the text, the previous directory depends on earlier commands and is unknown. */
  get #last(): Path {
    return this.current?.last ?? NOWHERE;
  }

  #go(now: Path, worked: boolean, pushed: Pushed | undefined): void {
    const from = this.now;
    this.current = { now, before: worked ? undefined : from, last: from, pushed };
  }
}
