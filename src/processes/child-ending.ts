import type { ChildProcess } from "node:child_process";
import type { Detachment } from "../codec.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { CappedHead, CappedTail } from "./capped-output.ts";
import { FirstLine } from "./first-line.ts";

/** How a child process ended, or why it is no longer waited for. */
export type ChildEnding =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: NodeJS.Signals }
  | { readonly by: "overflow" }
  | { readonly by: "abort" }
  | { readonly by: "error"; readonly error: Error };

export interface WatchOptions {
  readonly stdout: Pick<CappedHead, "take">;
  readonly stderr: Pick<CappedTail, "take">;
  readonly signal: StopSignal;
  /** How long after the exit output is still read, when something holds the pipes open. */
  readonly drainMs: number;
  /** Whether the hook's first line says that it goes on by itself. Not asked where nobody waits for the hook anyway. */
  readonly readDetachment?: ((output: string) => Detachment | undefined) | undefined;
}

/** A child that is at work. */
export interface ChildWatch {
  /** The first thing that settles the matter. The pipes are left open. */
  readonly ending: Promise<ChildEnding>;
  /** The same, or that the child has said that it need not be waited for: from then on nothing stops the watch. */
  readonly news: Promise<ChildEnding | { readonly by: "detachment"; readonly detachment: Detachment }>;
  /** Makes another signal the one that ends the watch. */
  heed(signal: StopSignal): void;
}

/** Collects the output and waits for the end. */
export function watchChild(child: ChildProcess, options: WatchOptions): ChildWatch {
  const { stdout, stderr, drainMs, readDetachment } = options;
  const ending = promised<ChildEnding>();
  const news = promised<Awaited<ChildWatch["news"]>>();
  let isSettled = false;
  let drain: NodeJS.Timeout | undefined;
  let heeded: StopSignal | undefined;

  const settle = (how: ChildEnding) => {
    isSettled = true;
    clearTimeout(drain);
    heed(undefined);
    ending.resolve(how);
    news.resolve(how);
  };
  const onAbort = () => settle({ by: "abort" });
  const heed = (signal: StopSignal | undefined) => {
    heeded?.removeEventListener("abort", onAbort);
    heeded = isSettled ? undefined : signal;
    heeded?.addEventListener("abort", onAbort, { once: true });
  };
  heed(options.signal);

  const firstLine = readDetachment === undefined ? undefined : new FirstLine();
  const lookForDetachment = (chunk: Buffer) => {
    const line = firstLine?.take(chunk);
    const detachment = line === undefined ? undefined : readDetachment?.(line);
    if (detachment === undefined) return;
    firstLine?.close();
    // At once: a deadline that comes a moment later is not the hook's any more.
    heed(undefined);
    news.resolve({ by: "detachment", detachment });
  };

  // Output after the end is read and dropped, so that a hook that is told to stop does not die of a broken pipe
  // in the middle of its tidying up.
  child.stdout?.on("data", (chunk: Buffer) => {
    if (isSettled) return;
    if (!stdout.take(chunk)) settle({ by: "overflow" });
    else lookForDetachment(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (!isSettled) stderr.take(chunk);
  });

  child.on("error", (error) => settle({ by: "error", error }));
  child.once("exit", (code, signalName) => {
    const how: ChildEnding =
      signalName === null ? { by: "exit", code: code ?? 0 } : { by: "signal", signal: signalName };
    // Not the end of stdout alone: a grandchild that inherited it may hold it open for ever.
    child.once("close", () => settle(how));
    // What the hook wrote before its exit is in the pipe by now. The extra turn of the event loop reads it even if a
    // busy loop let this timer come first: unread, a denial would look like silence.
    drain = setTimeout(() => setImmediate(settle, how), drainMs);
  });
  return { ending: ending.promise, news: news.promise, heed };
}

function promised<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
