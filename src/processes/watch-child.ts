import type { ChildProcess } from "node:child_process";
import type { Detachment } from "../codec.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { CappedHead, CappedTail } from "./capped-output.ts";
import { FirstLine } from "./first-line.ts";

/** How a child process ended, or why the caller no longer waits for it. */
export type ChildEnding =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: NodeJS.Signals }
  | { readonly by: "overflow" }
  | { readonly by: "abort" }
  | { readonly by: "error"; readonly error: Error };

interface WatchOptions {
  readonly stdout: Pick<CappedHead, "take">;
  readonly stderr: Pick<CappedTail, "take">;
  readonly signal: StopSignal;
  /** How long output is read after the exit, in milliseconds, if another process holds the pipes open. */
  readonly drainMs: number;
  /** Reads from the first line whether the hook continues in the background. Unset if no caller waits for the hook. */
  readonly readDetachment?: ((output: string) => Detachment | undefined) | undefined;
}

/** A running child process. */
export interface ChildWatch {
  /** Resolves at the first of end, overflow and stop. Leaves the pipes open. */
  readonly ending: Promise<ChildEnding>;
  /** Like `ending`, but resolves earlier if the child detaches itself. After that, no signal ends the watch. */
  readonly news: Promise<ChildEnding | { readonly by: "detachment"; readonly detachment: Detachment }>;
  /** Replaces the signal that ends the watch. */
  heed(signal: StopSignal): void;
}

/** Collects the output of a child and waits for its end. */
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
    // The signal is removed immediately, because a later timeout no longer concerns this hook.
    heed(undefined);
    news.resolve({ by: "detachment", detachment });
  };

  // Later output is read and dropped, so that a hook that was told to stop does not get EPIPE while it cleans up.
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
    // The end of stdout does not count, because a grandchild that inherited stdout may keep it open forever.
    child.once("close", () => settle(how));
    // The hook's output is in the pipe by now. If this thread was busy, the timer may fire before the pipe is read, so
    // `setImmediate` adds one turn of the event loop. A denial that was not read would look like no answer.
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
