import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { defaultCacheFolder } from "../../cache/cache-folder.ts";
import { DEFAULT_MAX_BACKGROUND } from "../../engine/background.ts";
import { describeThrown } from "../../errors.ts";
import type { DetachedHook, HandOver } from "../../executors/command/command-executor.ts";
import type { UntestedGuard } from "../../executors/wasm/fixtures/guard-tests.ts";
import { LAYERS, type Side, sideOf } from "../../layer-trust.ts";
import { identityOf } from "../../processes/process-identity.ts";
import { type Claim, takeClaim } from "../../processes/work-claims.ts";
import type { Rule } from "../../rule.ts";
import { type Job, type JobRule, longestTestsMs, openJobFile } from "./job.ts";
import { slotFolders, type TakenSlot, takeSlot } from "./slots.ts";

type NoKeeper = Pick<Extract<TakenSlot, { ok: false }>, "reason" | "full">;

/** The verb that the keeper process runs. The help does not show it. */
const KEEP = "keep";

/** The sides of rules, which have separate slots. */
const SIDES: readonly Side[] = ["own", "project"];

/**
 * Starts a keeper process that does the job after this process has ended. The keeper has no terminal, and no pipe for
 * which the agent could wait. The keeper has its own session, which the agent's signals do not reach. Resolves to the
 * reason if the keeper could not be started.
 */
async function startKeeper(
  job: Job,
  side: Side,
  outputs: readonly (Readable | null)[] = [],
  passOn: (pid: number) => Promise<unknown> = async () => {},
): Promise<NoKeeper | undefined> {
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
    // Passes the slot and the claims before any await, because they would be void if this process ended.
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
 * Runs the async rules of an event in two keepers: one for the rules of project files and one for other rules.
 * Therefore neither side can use up the other's slots. Resolves to messages about rules that were not started.
 */
export async function keepAsync(
  job: Omit<Extract<Job, { kind: "async" }>, "kind" | "layers">,
  rules: readonly Rule[],
): Promise<readonly string[]> {
  const notStarted: string[] = [];
  for (const side of SIDES) {
    const count = rules.filter((rule) => sideOf(rule) === side).length;
    if (count > 0) notStarted.push(...(await keepSide(job, side, count)));
  }
  return notStarted;
}

async function keepSide(
  job: Omit<Extract<Job, { kind: "async" }>, "kind" | "layers">,
  side: Side,
  count: number,
): Promise<readonly string[]> {
  const layers = LAYERS.filter((layer) => sideOf({ layer }) === side);
  const notStarted = await startKeeper({ kind: "async", ...job, layers }, side);
  if (notStarted !== undefined) return [`the async hooks of ${job.eventName} were not started: ${notStarted.reason}`];
  const surplus = count - DEFAULT_MAX_BACKGROUND;
  if (surplus <= 0) return [];
  return [`${surplus} async hooks of ${job.eventName} were not started: an event may start ${DEFAULT_MAX_BACKGROUND}`];
}

/**
 * Starts a keeper for a detached hook, and passes the hook's output to the keeper. Resolves to whether the keeper was
 * started, or to the limit.
 */
export async function keepDetached({ stdout, stderr, side, ...hook }: DetachedHook): ReturnType<HandOver> {
  const job: Job = { kind: "detached", ...hook, ...identityOf(hook.pid) };
  const notStarted = await startKeeper(job, side, [stdout, stderr]);
  return notStarted?.full ?? notStarted === undefined;
}

/** Starts keepers that run the fixtures of guards, except guards whose fixtures another process is already running. */
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
    // Fixtures without a claim are not run, because the next process could not know that they are running.
    if (claim === undefined || claim === "taken") continue;
    const { name, handler, baseDir, approved, timeoutMs } = rule;
    claimed.push({ rule: { name, handler, baseDir, approved, timeoutMs, claim: work }, claim });
  }
  if (claimed.length === 0) return;
  const heldMs = longestTestsMs(claimed.length);
  const passOn = (pid: number): Promise<unknown> => Promise.all(claimed.map(({ claim }) => claim.passTo(pid, heldMs)));
  const notStarted = await startKeeper({ kind: "fixtures", rules: claimed.map(({ rule }) => rule) }, side, [], passOn);
  if (notStarted !== undefined) await Promise.all(claimed.map(({ claim }) => claim.end()));
}

/** Drops `--inspect` options, because two processes cannot listen on one debugger address. */
function isKept(argument: string): boolean {
  return !argument.startsWith("--inspect");
}
