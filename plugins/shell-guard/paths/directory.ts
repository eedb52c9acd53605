// The directory in which a command runs, followed through every `cd`.

import { Path, ROOT, resolve, WORKING } from "./path";

/** After a `cd` that may have failed the command may also run where it was before. */
export class Directory {
  constructor(
    public now: Path,
    public before: Path | null,
  ) {}
}

let cwd: string = "";
// Both are made when they are asked for: most commands name no path that matters.
let start: Path | null = null;
let current: Directory | null = null;

/** Starts in the working directory of the event, if that says one. */
export function startIn(text: string): void {
  cwd = text;
  start = null;
  current = null;
}

/** The directory that the agent works in. */
export function workingDirectory(): Path {
  const known = start;
  if (known !== null) return known;
  const path = cwd.startsWith("/") ? resolve(new Path(ROOT), cwd) : new Path(WORKING);
  start = path;
  return path;
}

export function currentDirectory(): Directory {
  const known = current;
  if (known !== null) return known;
  const directory = new Directory(workingDirectory(), null);
  current = directory;
  return directory;
}

export function changeDirectory(to: string, worked: bool): void {
  const from = currentDirectory().now;
  current = new Directory(resolve(from, to), worked ? null : from);
}

/** A subshell's own `cd` ends with it. */
export function enterDirectory(): Directory | null {
  return current;
}

export function leaveDirectory(directory: Directory | null): void {
  current = directory;
}
