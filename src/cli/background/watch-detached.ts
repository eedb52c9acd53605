import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isMark } from "../../processes/hook-mark.ts";
import { ProcessGroup } from "../../processes/process-group.ts";
import { isAtWork, isReplaced } from "../../processes/process-identity.ts";
import type { Job } from "./job.ts";

/** Watches a detached hook after the process that started it has ended. */

const POLL_MS = 100;
const KILL_GRACE_MS = 100;

/** Descriptors of the hook's output. `watchDetached` reads them, because the hook would otherwise get EPIPE. */
const OUTPUTS = [3, 4];

/** Waits until the hook ends. Stops the hook at its time limit or when this process is interrupted. */
export async function watchDetached(
  { limitMs, keepsBackground, mark, ...hook }: Extract<Job, { kind: "detached" }>,
  interrupted: Promise<void>,
): Promise<void> {
  for (const fd of OUTPUTS) readAndDrop(fd);
  let isInterrupted = false;
  void interrupted.then(() => {
    isInterrupted = true;
  });
  const deadline = performance.now() + limitMs;
  // Polls, because the hook is not a child of this process, so the system does not report the hook's end.
  while (isAtWork(hook)) {
    const left = deadline - performance.now();
    if (left <= 0 || isInterrupted) {
      await new ProcessGroup(hook.pid, isMark(mark) ? mark : undefined).stop(KILL_GRACE_MS);
      return;
    }
    await sleep(Math.min(POLL_MS, left));
  }
  // Kills processes that the hook left in its group. The system does not reuse the pid while the group has processes.
  // If another process has the pid now, the group is empty.
  if (!keepsBackground && !isReplaced(hook)) new ProcessGroup(hook.pid).signal("SIGKILL");
}

function readAndDrop(fd: number): void {
  try {
    new Socket({ fd, readable: true, writable: false }).on("error", () => {}).resume();
  } catch {
    // The descriptor is not open, because the hook had no output on this stream.
  }
}
