import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { Grants } from "../../src/grants.ts";
import { admitCode } from "../../src/sandbox/admission/admission.ts";
import { validated } from "../../src/sandbox/admission/compile.ts";
import type { GuestTask } from "../../src/sandbox/guest/protocol.ts";
import { guest } from "../helpers/guests.ts";
import { sampleOf, times } from "../helpers/tier.ts";
import { guestTask } from "../sandbox/guest-task.ts";
import { requirements } from "../sandbox/module-requirements.ts";
import { never, openProcessPool, processTask, settled } from "../sandbox/process-pools.ts";
import type { Attack } from "./attacks.ts";
import { FILE_ATTACKS } from "./granted/files.ts";
import { NETWORK_ATTACKS } from "./granted/network.ts";
import { WASI_ATTACKS } from "./granted/wasi.ts";
import { openWorld, type World } from "./granted/world.ts";
import { hasStrace, traced } from "./traced-processes.ts";

/** The system calls of a sandbox process while hostile guests run in it. */

const GUESTS = [
  "denies",
  "traps",
  "recurses-for-ever",
  "grows-to-its-limit",
  "floods-the-log",
  "wants-a-huge-block",
  "reads-beyond-its-blocks",
  "looks-for-leftovers",
  "says-nothing",
];

test("a sandbox process that is ready opens nothing, connects to nothing and starts nothing", async (context) => {
  context.skip(!hasStrace, "strace is not installed");
  const pool = openProcessPool();
  const pids = await settled(pool, 2);
  const trace = await traced(pids, async () => {
    for (const name of GUESTS) {
      const task = await processTask(guest(name));
      for (let round = 0; round < 5; round += 1) await pool.run(task, never());
    }
  });
  if (typeof trace === "string") return context.skip(trace);
  expect(pool.processes.map(({ pid }) => pid)).toEqual(pids);
  expect(trace.reads).toBeGreaterThan(GUESTS.length);
  expect(trace.calls).toEqual([]);
}, 60_000);

/**
 * The grants of the attacks' configuration; `hosts` is left out because the engine's side answers requests, and does
 * not do so here.
 */
function grantsOf({ origin, granted }: World): Grants {
  return {
    hosts: { allow: [origin], network: "private", maxCalls: 3, responseBytes: 4_096 },
    paths: [
      { name: "policy", path: granted.file, access: "read" },
      { name: "folder", path: granted.folder, access: "read" },
      { name: "writable", path: granted.writable, access: "write" },
    ],
    wasi: true,
  };
}

async function taskOf(attack: Attack, world: World): Promise<GuestTask | undefined> {
  const grants = grantsOf(world);
  const name = attack.function ?? "handle";
  const module = attack.source?.(world);
  if (module === undefined) return undefined;
  const code = await admitCode(module, requirements({ grants, function: name }));
  const admission = code.ok ? validated(code) : code;
  if (!admission.ok) return undefined;
  const { setup, ...task } = guestTask(admission, { fuel: 1_000_000 });
  if (setup === undefined) throw new Error("a task without its setup");
  return { ...task, setup: { ...setup, grants, function: name } };
}

const ROOT = resolve(import.meta.dirname, "../..");

/**
 * Classifies a system call. A path that is only looked up (O_PATH) is not opened: it is compared with the grant first,
 * and a file is opened by the compared path.
 */
function reachOf(call: string, { granted }: World): "granted" | "looked up" | "our own code" | "beyond the grants" {
  const open = /^\d+ +openat\(AT_FDCWD[^,]*, "([^"]*)", ([A-Z_|]+)\) += (?:\d+<(.*)>|-1 .*)$/.exec(call);
  const [, path = "", flags = "", led] = open ?? [];
  const isWithin = (place: string, folder: string): boolean => place === folder || place.startsWith(`${folder}/`);
  const isGranted = (place: string): boolean =>
    [granted.folder, granted.writable, granted.file].some((one) => isWithin(place, one));
  if (open === null) return "beyond the grants";
  if (isWithin(path, `${ROOT}/dist`) || isWithin(path, `${ROOT}/node_modules`)) return "our own code";
  if (flags.split("|").includes("O_PATH"))
    return path === "/" || isGranted(path) || /^\/proc\/self\/fd\/\d+\/[^/]+$/.test(path)
      ? "looked up"
      : "beyond the grants";
  return /^\/proc\/self\/fd\/\d+$/.test(path) && (led === undefined || isGranted(led))
    ? "granted"
    : "beyond the grants";
}

const ATTACKS = [NETWORK_ATTACKS, FILE_ATTACKS, WASI_ATTACKS].flatMap((all, of) =>
  sampleOf(
    all.filter(({ grants }) => grants !== undefined),
    3,
    ({ ends }) => `${of} ${JSON.stringify(ends)}`,
  ),
);

test("with narrow grants of hosts, paths and wasi, hostile guests cause only granted files to be opened", async (context) => {
  context.skip(!hasStrace, "strace is not installed");
  const world = await openWorld({ isChanging: true });
  try {
    const tasks: GuestTask[] = [];
    for (const attack of ATTACKS) {
      const task = await taskOf(attack, world);
      if (task !== undefined) tasks.push(task);
    }
    expect(tasks.length).toBeGreaterThan(times(100, 30));
    const pool = openProcessPool();
    const pids = await settled(pool, 2);
    let asks = 0;
    const trace = await traced(pids, async () => {
      for (const task of tasks) {
        await pool.run(task, never(), async () => {
          asks += 1;
          return { kind: "failed", message: "nobody answers" };
        });
      }
    });
    if (typeof trace === "string") return context.skip(trace);
    expect(pool.processes.map(({ pid }) => pid)).toEqual(pids);
    expect(asks).toBeGreaterThan(times(20, 6));
    expect(trace.calls.filter((call) => reachOf(call, world) === "beyond the grants")).toEqual([]);
    expect(trace.calls.filter((call) => reachOf(call, world) === "granted").length).toBeGreaterThan(times(20, 6));
  } finally {
    await world.close();
  }
}, 60_000);
