import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { DEFAULT_MAX_BACKGROUND } from "../../engine/background.ts";
import { describeThrown } from "../../errors.ts";
import type { DetachedHook, HandOver } from "../../executors/command/command-executor.ts";
import { bornAt } from "../../processes/process-table.ts";
import { type Job, openJobFile } from "./job.ts";
import { type TakenSlot, takeSlot } from "./slots.ts";

type Lacking = Pick<Extract<TakenSlot, { ok: false }>, "reason" | "full">;

/** A hidden verb of the command line. */
const KEEP = "keep";

/**
 * Starts a process of its own that does the job after this one has ended. It has no terminal, no pipe that the agent could
 * be waiting for, and a session in which the agent's signals do not reach it. Resolves to what went wrong.
 */
async function startKeeper(job: Job, outputs: readonly (Readable | null)[] = []): Promise<Lacking | undefined> {
  const script = process.argv[1];
  if (script === undefined) return { reason: "this process was not started from a script" };
  const taken = takeSlot();
  if (!taken.ok) return taken;
  const { slot } = taken;
  let file: number | undefined;
  try {
    file = openJobFile(job);
    const child = spawn(process.execPath, [...process.execArgv.filter(isKept), script, KEEP], {
      stdio: [file, "ignore", "ignore", ...outputs.map((output) => output ?? "ignore")],
      detached: true,
      windowsHide: true,
    });
    child.unref();
    // Before anything is waited for: our own end must not make it look like a dead one's.
    if (child.pid !== undefined) slot.passTo(child.pid);
    await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    return undefined;
  } catch (error) {
    slot.giveBack();
    return { reason: describeThrown(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Runs the async rules of an event in a process of their own. Resolves to what cannot be done. */
export async function keepAsync(
  job: Omit<Extract<Job, { kind: "async" }>, "kind">,
  count: number,
): Promise<readonly string[]> {
  const lacking = await startKeeper({ kind: "async", ...job });
  if (lacking !== undefined) return [`the async hooks of ${job.eventName} were not started: ${lacking.reason}`];
  const surplus = count - DEFAULT_MAX_BACKGROUND;
  if (surplus <= 0) return [];
  return [`${surplus} async hooks of ${job.eventName} were not started: an event may start ${DEFAULT_MAX_BACKGROUND}`];
}

/** Whether there is a keeper for the hook now, or are too many. Its output goes there, too. */
export async function keepDetached({ stdout, stderr, ...hook }: DetachedHook): ReturnType<HandOver> {
  const job: Job = { kind: "detached", born: bornAt(hook.pid), ...hook };
  const lacking = await startKeeper(job, [stdout, stderr]);
  return lacking?.full ?? lacking === undefined;
}

/** Two processes cannot be debugged at one address. */
function isKept(argument: string): boolean {
  return !argument.startsWith("--inspect");
}
