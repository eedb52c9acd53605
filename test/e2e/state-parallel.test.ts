import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { counting } from "../executors/wasm/counting-guest.ts";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";
import { approvedAccount, bashCall, MAIN, ownFolders, type Project, project } from "./cli.ts";

/**
 * One-shot runs at the same time, some of which are killed at any moment. A call that was answered has counted exactly
 * once; a call that was killed has counted once or not at all. `npm run test:state` makes 200 runs.
 */

const RUNS = Number(process.env["HOOKBOX_STATE_RUNS"] ?? times(40, 14));
const AT_ONCE = times(20, 7);
vi.setConfig({ testTimeout: 30_000 + RUNS * 5_000 });

interface Ending {
  readonly stdout: string;
  readonly isKilled: boolean;
  readonly elapsedMs: number;
}

/** Outside of the project, because a state folder in it would not be used. */
const stateOf = ({ folder }: Project): string => `${folder}-state`;
const tidied = (place: Project): Project => {
  onTestFinished(() => rmSync(stateOf(place), { recursive: true, force: true }));
  return place;
};

async function run(place: Project, killAfterMs?: number): Promise<Ending> {
  const account = await approvedAccount(["run"], { cwd: place.folder });
  const begun = performance.now();
  const env = {
    PATH: process.env["PATH"],
    HOME: place.folder,
    ...ownFolders(),
    XDG_STATE_HOME: stateOf(place),
    ...account,
  };
  const child = spawn(process.execPath, [MAIN, "run"], { cwd: place.folder, env, stdio: ["pipe", "pipe", "ignore"] });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stdin.on("error", () => {});
  child.stdin.end(bashCall("ls"));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(timer);
  return { stdout, isKilled: signal !== null, elapsedMs: performance.now() - begun };
}

/** Starts all runs, a fixed number at a time; every second run is killed at some point before its usual end. */
async function runAll(place: Project, usualMs: number): Promise<Ending[]> {
  const random = new Random(SEED);
  const planned = random.times(RUNS, () => (random.chance(2) ? random.below(Math.ceil(usualMs)) : undefined));
  const endings: Ending[] = [];
  const work = async (): Promise<void> => {
    while (planned.length > 0) endings.push(await run(place, planned.shift()));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return endings;
}

const countIn = ({ stdout }: Ending): number => Number(/\b\d{6}\b/.exec(stdout)?.[0]);

function filesIn(top: string): string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );
}

test("no count of an answered call is lost or doubled", async () => {
  const place = tidied(project());
  place.write("guard.wasm", counting());
  place.configure("PreToolUse", {
    type: "wasm",
    module: "./guard.wasm",
    grants: { state: true },
    timeoutMs: 200_000,
  });
  const first = await run(place);
  expect(countIn(first)).toBe(1);
  // Runs at the same time take that much longer.
  const endings = await runAll(place, first.elapsedMs * AT_ONCE * 0.35);
  const killed = endings.filter(({ isKilled }) => isKilled).length;
  expect(killed).toBeGreaterThan(0);
  const last = await run(place);

  const answered = [first, ...endings, last].filter(({ stdout }) => stdout.includes("}\n") || stdout.endsWith("}"));
  const counts = answered.map(countIn);
  // Each run that was not killed has answered with a number: the store was always usable.
  expect(answered.length).toBeGreaterThanOrEqual(RUNS + 2 - killed);
  expect(counts.filter(Number.isNaN)).toEqual([]);
  expect(new Set(counts).size).toBe(counts.length);
  expect(Math.max(...counts)).toBe(countIn(last));
  // A run that was killed before it answered may have counted.
  expect(countIn(last)).toBeGreaterThanOrEqual(counts.length);
  expect(countIn(last)).toBeLessThanOrEqual(RUNS + 2);
  const left = filesIn(join(stateOf(place), "hookbox", "guards"));
  expect(left.map((name) => name.replace(/[0-9a-f]{32}$/, "")).sort()).toEqual(["data-", "kept-"]);
  console.log({ runs: RUNS + 2, killed, answered: counts.length, counted: countIn(last) });
});

test("a hook that runs once has succeeded exactly once, whichever runs are killed", async () => {
  const place = tidied(project());
  const log = join(place.folder, "log");
  place.configure("PreToolUse", {
    type: "command",
    // Logs its start and its end: a run that is killed may log only the start.
    command: `echo began >>'${log}'; sleep 0.05; echo ended >>'${log}'`,
    once: true,
    timeoutMs: 200_000,
    onFailure: "block",
  });
  const idle = project();
  idle.configure("PreToolUse", { type: "command", command: "sleep 0.05" });
  const { elapsedMs } = await run(idle);
  const endings = await runAll(place, elapsedMs * AT_ONCE * 0.35);
  expect((await run(place)).isKilled).toBe(false);
  const killed = endings.filter(({ isKilled }) => isKilled).length;
  const began = readFileSync(log, "utf8").match(/began/g)?.length ?? 0;
  expect(began).toBeGreaterThanOrEqual(1);
  // A run that is not killed marks the hook as run, so each further start belongs to a run that was killed.
  expect(began).toBeLessThanOrEqual(1 + killed);
  expect(endings.filter((one) => !one.isKilled && one.stdout.includes("deny"))).toEqual([]);
  console.log({ runs: RUNS + 1, killed, began });
});
