import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { callersEnvironment } from "../caller.ts";
import { describeThrown } from "../errors.ts";
import type { StopSignal } from "../stop-signal.ts";
import { CappedTail } from "./capped-output.ts";
import { childEnvironment, type Variables } from "./environment.ts";
import { findAt, findOnSearchPath, type Lookup, THIS_DISK } from "./search-path.ts";
import { releasePipes, type StartedChild, startChild } from "./start-child.ts";
import { type ChildEnding, watchChild } from "./watch-child.ts";

/** A program that runs without a shell, so no shell interprets its arguments. */
export interface Program {
  /** A name that is looked up on PATH, or an absolute path. The working directory is not searched. */
  readonly file: string;
  readonly args: readonly string[];
  /** The working directory as an absolute path. */
  readonly cwd: string;
  /** Variables in addition to the short list that every child inherits. */
  readonly env: Variables;
  /** The input for stdin, which is then closed. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** The maximum length of stdout. Longer output ends the program. Default: 1 MiB. */
  readonly stdoutBytes?: number;
  /** Milliseconds between SIGTERM and SIGKILL. Default: 100. */
  readonly killGraceMs?: number;
}

interface Output {
  /** The standard output, up to the limit. Invalid UTF-8 becomes U+FFFD. */
  readonly stdout: string;
  /** The last bytes of stderr. */
  readonly stderr: string;
}

/** How a program ended. */
export type ProgramEnding =
  | ({ readonly by: "exit"; readonly code: number } & Output)
  | ({ readonly by: "signal"; readonly signal: NodeJS.Signals } & Output)
  | ({ readonly by: "overflow"; readonly limit: number } & Output)
  /** The caller's signal fired. */
  | { readonly by: "stopped" }
  /** The program does not exist or could not be started. */
  | { readonly by: "missing"; readonly reason: string };

const STDOUT_BYTES = 1_048_576;
const STDERR_BYTES = 65_536;
const KILL_GRACE_MS = 100;
/** How long output is read after the exit, if another process holds the pipes open. */
const DRAIN_MS = 50;

/**
 * Runs a program in its own process group, and resolves when the whole group has ended. When the signal fires, the
 * group gets SIGTERM, and SIGKILL after `killGraceMs`. Never rejects.
 */
export async function runProgram(program: Program, stop: StopSignal): Promise<ProgramEnding> {
  if (stop.aborted) return { by: "stopped" };
  const { variables, searchPath } = childEnvironment({
    inherit: "listed",
    parent: callersEnvironment(),
    dialect: {},
    handler: program.env,
    platform: process.platform,
  });
  const found = findProgram(program, searchPath);
  if (!found.ok) return { by: "missing", reason: found.reason };
  let started: StartedChild;
  try {
    const { args, cwd, input = "" } = program;
    started = startChild({ file: found.file, args, cwd, env: variables }, Buffer.from(input as string));
  } catch (thrown) {
    // Node emits some errors as an event and throws others, such as E2BIG or a NUL byte.
    return { by: "missing", reason: `${found.file} cannot be started: ${describeThrown(thrown)}` };
  }
  const { child, group } = started;
  const stdout = new Head(program.stdoutBytes ?? STDOUT_BYTES);
  const stderr = new CappedTail(STDERR_BYTES);
  const ending = await watchChild(child, { stdout, stderr, signal: stop, drainMs: DRAIN_MS }).ending;
  // An overflow gets no grace period, because the flood uses a whole core. The output is read and dropped until the
  // group has ended, so that no process gets EPIPE while it cleans up.
  const { killGraceMs = KILL_GRACE_MS } = program;
  if (ending.by === "overflow") await group.stop(0);
  else if (ending.by === "abort") await group.stop(killGraceMs);
  else await group.end(killGraceMs);
  releasePipes(child);
  return described(ending, found.file, stdout, stderr);
}

function findProgram({ file, cwd }: Program, searchPath: string): Lookup {
  // If the working directory is missing, the system reports that the program is missing.
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return { ok: false, reason: `${cwd}, where it would start, is not a folder` };
  }
  if (isAbsolute(file)) return findAt(file, process.platform, THIS_DISK);
  if (/[/\\]/.test(file)) return { ok: false, reason: `${file} is neither a name nor an absolute path` };
  return findOnSearchPath(file, searchPath, process.platform);
}

function described(ending: ChildEnding, file: string, head: Head, tail: CappedTail): ProgramEnding {
  const output = { stdout: head.text(), stderr: tail.text() };
  switch (ending.by) {
    case "exit":
      return { by: "exit", code: ending.code, ...output };
    case "signal":
      return { by: "signal", signal: ending.signal, ...output };
    case "overflow":
      return { by: "overflow", limit: head.limit, ...output };
    case "abort":
      return { by: "stopped" };
    case "error":
      return { by: "missing", reason: `${file} cannot be started: ${describeThrown(ending.error)}` };
  }
}

/** Keeps the first bytes of a stream, because half a listing is useful. */
class Head {
  readonly limit: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes a chunk. Returns `false` once the limit is exceeded. */
  take(chunk: Buffer): boolean {
    this.#chunks.push(chunk.subarray(0, this.limit - this.#bytes));
    this.#bytes = Math.min(this.limit + 1, this.#bytes + chunk.length);
    return this.#bytes <= this.limit;
  }

  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    // Drops a character that the limit splits.
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: this.#bytes > this.limit });
  }
}
