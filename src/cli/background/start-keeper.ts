import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { defaultCacheFolder } from "../../cache/cache-folder.ts";
import { DEFAULT_MAX_BACKGROUND } from "../../engine/background.ts";
import { describeThrown } from "../../errors.ts";
import type { DetachedHook, HandOver } from "../../executors/command/command-executor.ts";
import type { UntestedGuard } from "../../executors/wasm/fixtures/guard-tests.ts";
import { type Claim, takeClaim } from "../../processes/claims.ts";
import { identityOf } from "../../processes/process-identity.ts";
import { LAYERS, type Rule, type Side, sideOf } from "../../rule.ts";
import { type Job, type JobRule, longestTestsMs, openJobFile } from "./job.ts";
import { slotFolders, type TakenSlot, takeSlot } from "./slots.ts";

type Lacking = Pick<Extract<TakenSlot, { ok: false }>, "reason" | "full">;

/** A hidden verb of the command line. */
const KEEP = "keep";

/** Neither has the room of the other. */
const SIDES: readonly Side[] = ["own", "project"];

/**
 * Starts a process of its own that does the job after this one has ended. It has no terminal, no pipe that the agent could
 * be waiting for, and a session in which the agent's signals do not reach it. Resolves to what went wrong.
 */
async function startKeeper(
  job: Job,
  side: Side,
  outputs: readonly (Readable | null)[] = [],
  passOn: (pid: number) => Promise<unknown> = async () => {},
): Promise<Lacking | undefined> {
  const script = process.argv[1];
  if (script === undefined) return { reason: "this process was not started from a script" };
  const taken = takeSlot(slotFolders(side));
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
    const started = new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    // Before anything is waited for: our own end must not make it look like a dead one's.
    if (child.pid !== undefined) {
      slot.passTo(child.pid);
      await passOn(child.pid);
    }
    await started;
    return undefined;
  } catch (error) {
    slot.giveBack();
    return { reason: describeThrown(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Runs the async rules of an event in processes of their own: one for rules of project files, and one for the others, so that
 * neither has the other's room. Resolves to what cannot be done.
 */
export async function keepAsync(
  job: Omit<Extract<Job, { kind: "async" }>, "kind" | "layers">,
  rules: readonly Rule[],
): Promise<readonly string[]> {
  const lacking: string[] = [];
  for (const side of SIDES) {
    const count = rules.filter((rule) => sideOf(rule) === side).length;
    if (count > 0) lacking.push(...(await keepSide(job, side, count)));
  }
  return lacking;
}

async function keepSide(
  job: Omit<Extract<Job, { kind: "async" }>, "kind" | "layers">,
  side: Side,
  count: number,
): Promise<readonly string[]> {
  const layers = LAYERS.filter((layer) => sideOf({ layer }) === side);
  const lacking = await startKeeper({ kind: "async", ...job, layers }, side);
  if (lacking !== undefined) return [`the async hooks of ${job.eventName} were not started: ${lacking.reason}`];
  const surplus = count - DEFAULT_MAX_BACKGROUND;
  if (surplus <= 0) return [];
  return [`${surplus} async hooks of ${job.eventName} were not started: an event may start ${DEFAULT_MAX_BACKGROUND}`];
}

/** Whether there is a keeper for the hook now, or are too many. Its output goes there, too. */
export async function keepDetached({ stdout, stderr, side, ...hook }: DetachedHook): ReturnType<HandOver> {
  const job: Job = { kind: "detached", ...hook, ...identityOf(hook.pid) };
  const lacking = await startKeeper(job, side, [stdout, stderr]);
  return lacking?.full ?? lacking === undefined;
}

/** Has the fixtures of these guards run in processes of their own, but for those that another process runs already. */
export async function keepTests(untested: readonly UntestedGuard[]): Promise<void> {
  const folder = defaultCacheFolder();
  for (const side of SIDES)
    await keepTestsOf(
      untested.filter(({ rule }) => sideOf(rule) === side),
      side,
      folder,
    );
}

async function keepTestsOf(untested: readonly UntestedGuard[], side: Side, folder: string): Promise<void> {
  const claimed: { readonly rule: JobRule; readonly claim: Claim }[] = [];
  for (const { rule, claim: work } of untested) {
    const claim = await takeClaim(folder, work);
    // Without claims nobody could tell the next process that this one is at it, nor how it ended.
    if (claim === undefined || claim === "taken") continue;
    const { name, handler, baseDir, timeoutMs } = rule;
    claimed.push({ rule: { name, handler, baseDir, timeoutMs, claim: work }, claim });
  }
  if (claimed.length === 0) return;
  const heldMs = longestTestsMs(claimed.length);
  const passOn = (pid: number): Promise<unknown> => Promise.all(claimed.map(({ claim }) => claim.passTo(pid, heldMs)));
  const lacking = await startKeeper({ kind: "fixtures", rules: claimed.map(({ rule }) => rule) }, side, [], passOn);
  if (lacking !== undefined) await Promise.all(claimed.map(({ claim }) => claim.end()));
}

/** Two processes cannot be debugged at one address. */
function isKept(argument: string): boolean {
  return !argument.startsWith("--inspect");
}
