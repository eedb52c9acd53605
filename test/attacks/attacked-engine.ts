import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { createEngine as CreateEngine } from "../../src/index.ts";
import type { Outcome, Plan, PlannedAttack, Report, Resources } from "./plan.ts";

/**
 * Runs as a separate process, so that its measurements are the engine's alone. Takes the path of a plan and writes a
 * report; standard output is not used, and stays empty.
 */
const plan = JSON.parse(readFileSync(process.argv[2] as string, "utf8")) as Plan;
const { createEngine } = (await import(plan.engine)) as { createEngine: typeof CreateEngine };
const engine = await createEngine({ config: plan.config, sandbox: { threads: plan.threads, boundary: plan.boundary } });

/** mulberry32: the seed alone reproduces an order. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

async function attack({ name, sessions }: Omit<PlannedAttack, "calls">, call = 0): Promise<Outcome> {
  const session = sessions === undefined ? {} : { session_id: sessions === "one" ? "one" : `${name} ${call}` };
  const begun = performance.now();
  const verdict = await engine.dispatch("PreToolUse", { tool_name: name, tool_input: { command: "ls" }, ...session });
  const ms = performance.now() - begun;
  const rule = verdict.rules.find((one) => one.rule === name);
  const { decision, reason } = verdict;
  return {
    name,
    decision,
    reason,
    kind: rule?.failure?.kind ?? null,
    code: rule?.failure?.code ?? null,
    ms,
    log: (rule?.receipt.log ?? []).join("\n"),
  };
}

/** After this time nothing is used any more; resources are also measured over this time. */
const REST_MS = 1_000;
const WATCHED_MS = 500;

const wrong: string[] = [];

async function ordinaryCall(index: number): Promise<number> {
  const call = plan.ordinary[index % plan.ordinary.length];
  if (call === undefined) return 0;
  const begun = performance.now();
  const verdict = await engine.dispatch("PreToolUse", { tool_name: call.tool, tool_input: { command: call.command } });
  const ms = performance.now() - begun;
  if (verdict.decision !== call.decision) wrong.push(`${call.tool} ${call.command}: ${verdict.decision}`);
  return ms;
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0;

const count = (folder: string): number => (existsSync(folder) ? readdirSync(folder).length : -1);

/**
 * The number of open descriptors, without those of JavaScript modules. Node does not close the modules that a thread was
 * loading when it was terminated (seen with Node 20 on a busy machine); the quarantine limits how often that happens.
 */
function countDescriptors(): number {
  if (!existsSync("/proc/self/fd")) return -1;
  return readdirSync("/proc/self/fd").filter((fd) => !targetOf(`/proc/self/fd/${fd}`).endsWith(".js")).length;
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    // The descriptor with which the folder was read is closed by now.
    return "";
  }
}

/** Returns the processes that this one has started, if the system reports them. */
function children(): readonly number[] {
  if (!existsSync("/proc/self/task")) return [];
  const lists = readdirSync("/proc/self/task").map((thread) => read(`/proc/self/task/${thread}/children`));
  return lists.flatMap((list) => list.split(" ").filter(Boolean)).map(Number);
}

/** Threads and processes may have ended by the time that they are read. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The processor time of running children: Linux counts in hundredths of a second. */
function childrenCpuMs(): number {
  const fields = children().map((pid) =>
    read(`/proc/${pid}/stat`)
      .replace(/^.*\) /, "")
      .split(" "),
  );
  return fields.reduce((sum, [...field]) => sum + 10 * (Number(field[11] ?? 0) + Number(field[12] ?? 0)), 0);
}

function childrenRssMiB(): number {
  const sizes = children().map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return sizes.reduce((sum, kib) => sum + kib / 1_024, 0);
}

async function resources(): Promise<Resources> {
  const cpu = process.cpuUsage();
  const childrenCpu = childrenCpuMs();
  await sleep(plan.isWatched ? WATCHED_MS : 0);
  const used = process.cpuUsage(cpu);
  return {
    cpuMs: (used.user + used.system) / 1_000 + childrenCpuMs() - childrenCpu,
    rssMiB: process.memoryUsage.rss() / 1_048_576 + childrenRssMiB(),
    threads: count("/proc/self/task"),
    descriptors: countDescriptors(),
    processes: children().length,
  };
}

/** Kept connections close after four seconds. A leak still exists at the last measurement. */
const MAX_LOOKS = 12;

async function resourcesAtRest(): Promise<Resources> {
  let now = await resources();
  for (
    let look = 0;
    look < MAX_LOOKS && (now.descriptors > before.descriptors || now.threads > before.threads);
    look += 1
  )
    now = await resources();
  return now;
}

const quiet: number[] = [];
const attacked: number[] = [];
for (let index = 0; index < 100; index += 1) await ordinaryCall(index);
for (let index = 0; index < 300; index += 1) quiet.push(await ordinaryCall(index));
const burns: number[] = [];
for (let round = 0; round < 3; round += 1) burns.push((await attack({ name: plan.counting })).ms);
const together = await Promise.all(Array.from({ length: plan.lanes }, () => attack({ name: plan.counting })));
await sleep(plan.isWatched ? REST_MS / 2 : 0);
const before = await resources();

const waiting = shuffled(plan.attacks, plan.seed);
const outcomes: Outcome[] = [];
let raging = true;
async function lane(): Promise<void> {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (let call = 0; call < next.calls; call += 1) outcomes.push(await attack(next, call));
    attacked.push(await ordinaryCall(attacked.length));
  }
}
async function ordinaryLane(): Promise<void> {
  while (raging) {
    attacked.push(await ordinaryCall(attacked.length));
    await sleep(10);
  }
}
const peace = plan.ordinary.length === 0 ? undefined : ordinaryLane();
await Promise.all(Array.from({ length: plan.lanes }, lane));
raging = false;
await peace;
await sleep(plan.isWatched ? REST_MS : 0);

const report: Report = {
  outcomes,
  problems: engine.problems.filter(({ severity }) => severity === "error").map(({ message }) => message),
  wrong,
  quietP99Ms: p99(quiet),
  attackedP99Ms: p99(attacked),
  ordinaryCalls: attacked.length,
  burnMs: Math.max(...burns),
  burnTogetherMs: Math.max(...together.map(({ ms }) => ms)),
  before,
  after: await resourcesAtRest(),
  prototype: Object.getOwnPropertyNames(Object.prototype),
};
await engine.close();
writeFileSync(plan.report, JSON.stringify(report));
