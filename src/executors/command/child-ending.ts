import type { ChildProcess } from "node:child_process";
import type { StopSignal } from "../stop-signal.ts";
import type { CappedHead, CappedTail } from "./capped-output.ts";

/** How a child process ended, or why it is no longer waited for. */
export type ChildEnding =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: NodeJS.Signals }
  | { readonly by: "overflow" }
  | { readonly by: "abort" }
  | { readonly by: "error"; readonly error: Error };

export interface WatchOptions {
  readonly stdout: CappedHead;
  readonly stderr: CappedTail;
  readonly signal: StopSignal;
  /** How long after the exit output is still read, when something holds the pipes open. */
  readonly drainMs: number;
}

/** Collects the output and waits for the first thing that settles the matter. The pipes are left open. */
export function watchChild(child: ChildProcess, options: WatchOptions): Promise<ChildEnding> {
  const { stdout, stderr, signal, drainMs } = options;
  return new Promise((resolve) => {
    let isSettled = false;
    let drain: NodeJS.Timeout | undefined;
    const settle = (ending: ChildEnding) => {
      isSettled = true;
      clearTimeout(drain);
      signal.removeEventListener("abort", onAbort);
      resolve(ending);
    };
    const onAbort = () => settle({ by: "abort" });
    signal.addEventListener("abort", onAbort, { once: true });

    // Output after the end is read and dropped, so that a hook that is told to stop does not die of a broken pipe
    // in the middle of its tidying up.
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!isSettled && !stdout.take(chunk)) settle({ by: "overflow" });
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (!isSettled) stderr.take(chunk);
    });

    child.on("error", (error) => settle({ by: "error", error }));
    child.once("exit", (code, signalName) => {
      const ending: ChildEnding =
        signalName === null ? { by: "exit", code: code ?? 0 } : { by: "signal", signal: signalName };
      // Not the end of stdout alone: a grandchild that inherited it may hold it open for ever.
      child.once("close", () => settle(ending));
      // What the hook wrote before its exit is in the pipe by now. The extra turn of the event loop reads it even if a
      // busy loop let this timer come first: unread, a denial would look like silence.
      drain = setTimeout(() => setImmediate(settle, ending), drainMs);
    });
  });
}
