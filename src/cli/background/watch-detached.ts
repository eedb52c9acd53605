import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isMark } from "../../processes/hook-mark.ts";
import { ProcessGroup } from "../../processes/process-group.ts";
import { isAtWork, isReplaced } from "../../processes/process-identity.ts";
import type { Job } from "./job.ts";

/** A hook that has detached itself, after the process that started it has ended. */

const POLL_MS = 100;
const KILL_GRACE_MS = 100;

/** Where its output is handed on: it must not die of a closed pipe. */
const OUTPUTS = [3, 4];

/** Until it has ended by itself, its time is over, or somebody ends us. */
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
  // By asking, because a process that is not our child does not tell us of its end.
  while (isAtWork(hook)) {
    const left = deadline - performance.now();
    if (left <= 0 || isInterrupted) {
      await new ProcessGroup(hook.pid, isMark(mark) ? mark : undefined).stop(KILL_GRACE_MS);
      return;
    }
    await sleep(Math.min(POLL_MS, left));
  }
  // What it has left keeps its number from being given away. Where somebody else has the number, it has left nothing.
  if (!keepsBackground && !isReplaced(hook)) new ProcessGroup(hook.pid).signal("SIGKILL");
}

function readAndDrop(fd: number): void {
  try {
    new Socket({ fd, readable: true, writable: false }).on("error", () => {}).resume();
  } catch {
    // There was none to hand on.
  }
}
