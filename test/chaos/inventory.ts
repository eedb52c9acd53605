import { getEventListeners } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The resources of a process, so that a test can see which ones were added. Linux only. */
export interface Inventory {
  /** Processes of our hooks, wherever they have moved to, and our own children, including zombies. */
  readonly processes: readonly string[];
  /** Everything that is counted, by a name. */
  readonly counts: Readonly<Record<string, number>>;
}

interface InventoryTerms {
  /** Contained in the environment of every hook. */
  readonly marker: string;
  /** The folder for temporary files. */
  readonly folder: string;
  /** A signal that lives longer than every call that uses it. */
  readonly signal: AbortSignal;
}

export function takeInventory({ marker, folder, signal }: InventoryTerms): Inventory {
  const counts = new Map<string, number>();
  const add = (name: string, count = 1): void => void counts.set(name, (counts.get(name) ?? 0) + count);
  for (const descriptor of descriptors()) add(`descriptor of ${descriptor}`);
  for (const resource of process.getActiveResourcesInfo()) add(`active ${resource}`);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) add(`file ${file}`);
  for (const event of process.eventNames()) add(`listener of process ${String(event)}`, process.listenerCount(event));
  add("listener of the caller's signal", getEventListeners(signal, "abort").length);
  add("thread", readdirSync("/proc/self/task").length);
  return { processes: hooksAlive(marker), counts: Object.fromEntries(counts) };
}

/** What exists now and did not before. */
export function surplus(before: Inventory, now: Inventory): string[] {
  const more = Object.entries(now.counts).flatMap(([name, count]) => {
    const extra = count - (before.counts[name] ?? 0);
    return extra > 0 ? [`${extra} × ${name}`] : [];
  });
  return [...now.processes.filter((one) => !before.processes.includes(one)), ...more];
}

/** A thread that is ended while it starts leaves the module open that it was reading; Node 20 does that. */
const STARTING_THREAD = /\/(?:dist|node_modules)\/.*\.[cm]?js(?:on)?$/;

function descriptors(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const name = readlinkSync(`/proc/self/fd/${fd}`).replace(/:\[\d+\]$/, "");
      return STARTING_THREAD.test(name) ? [] : [name];
    } catch {
      // The descriptor with which the folder was read.
      return [];
    }
  });
}

function hooksAlive(marker: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // After the name, which may contain anything: state, parent.
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const isOurs = parent === String(process.pid) || readFileSync(`/proc/${pid}/environ`, "utf8").includes(marker);
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return isOurs ? [`process ${pid} (${state}): ${command}`] : [];
    } catch {
      // The process has just ended, or belongs to another user.
      return [];
    }
  });
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes that cannot be collected, on the heap and outside of it. */
export function bytesInUse(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
