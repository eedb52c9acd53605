// The directory in which a command runs, followed through every `cd`.

import { Path, ROOT, resolve, WORKING } from "./path";

/** After a `cd` that may have failed the command may also run where it was before. */
export class Directory {
  constructor(
    public now: Path,
    public before: Path | null,
  ) {}
}

let current: Directory = changetype<Directory>(0);
let start: Path = changetype<Path>(0);

/** Starts in the working directory of the event, if that says one. */
export function startIn(cwd: string): void {
  start = cwd.startsWith("/") ? resolve(new Path(ROOT), cwd) : new Path(WORKING);
  current = new Directory(start, null);
}

/** The directory that the agent works in. */
export function workingDirectory(): Path {
  return start;
}

export function currentDirectory(): Directory {
  return current;
}

export function changeDirectory(to: string, worked: bool): void {
  current = new Directory(resolve(current.now, to), worked ? null : current.now);
}

/** A subshell's own `cd` ends with it. */
export function enterDirectory(): Directory {
  return current;
}

export function leaveDirectory(directory: Directory): void {
  current = directory;
}
