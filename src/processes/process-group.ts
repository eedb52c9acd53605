import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, signalAll } from "./descendants.ts";
import type { EscapedProcesses } from "./escaped-processes.ts";
import { livingGroups } from "./living-groups.ts";
import type { TableEntry } from "./process-table.ts";

/**
 * The process group of a command hook: the hook and the processes that it started. A process that starts its own
 * session (`setsid`) leaves the group and does not get the group's signals; `stop` searches for such processes.
 */

const PROBE_MS = 10;
/** How long to wait for the leader after SIGKILL. A process that is stuck in the kernel may never end. */
const DEATH_MS = 1000;
/** How long to wait for the other processes. In many containers init never reaps them, so they may seem to be alive. */
const BURIAL_MS = 50;

export class ProcessGroup {
  /** The id of the group. `undefined` once the group was empty, because the system may reuse the id. */
  #id: number | undefined;
  #ending: Promise<void> | undefined;
  readonly #mark: string | undefined;

  /** `leader` is `undefined` if the process could not be started. `mark` is the mark that `startChild` set. */
  constructor(leader: number | undefined, mark?: string) {
    this.#id = leader;
    this.#mark = mark;
    if (leader !== undefined) livingGroups.add(this);
  }

  /** Lets the group continue after this process ends. */
  release(): void {
    livingGroups.delete(this);
  }

  /** Sends SIGKILL to the group and to processes that have left it. Does not wait. */
  kill(): void {
    const family = this.signal(0) ? descendantsOf(this.#id as number) : [];
    this.signal("SIGKILL");
    signalAll(family, "SIGKILL");
  }

  /** Sends a signal to the group. Returns whether any process got the signal. Signal 0 only checks. */
  signal(signal: "SIGTERM" | "SIGKILL" | 0): boolean {
    // The group and its id exist while any member lives, even if the leader has ended.
    if (this.#id === undefined) return false;
    try {
      signalTree(this.#id, signal);
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ESRCH") {
        this.#id = undefined;
        this.release();
      }
      return false;
    }
  }

  /**
   * Sends SIGTERM, after `graceMs` sends SIGKILL to the remaining processes, and waits for their end. Never rejects.
   * The first call sets the grace period; later calls wait for the same end.
   */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#escalate(graceMs);
    return this.#ending;
  }

  /** Like {@link end}, also for processes that have left the group. For a hook that had to be stopped. */
  stop(graceMs: number): Promise<void> {
    this.#ending ??= this.#escalate(graceMs, this.#id === undefined ? undefined : this.#mark);
    return this.#ending;
  }

  async #escalate(graceMs: number, mark?: string): Promise<void> {
    const graceOver = performance.now() + graceMs;
    // The family is read before the signal, because the children of an ended process get another parent.
    const family = mark !== undefined && this.signal(0) ? descendantsOf(this.#id as number) : [];
    this.signal("SIGTERM");
    if (graceMs > 0) signalAll(family, "SIGTERM");
    const runaways = mark === undefined ? undefined : await this.#runaways(mark, family);
    if (graceMs > 0) await runaways?.terminate();
    await within(graceOver - performance.now(), () => !this.signal(0) && runaways?.areLeft !== true);
    this.signal("SIGKILL");
    const killOver = performance.now() + DEATH_MS;
    while ((await runaways?.kill()) === false && performance.now() < killOver) await delay(PROBE_MS);
    await within(DEATH_MS, () => !this.signal(0) || !exists(this.#id));
    await within(BURIAL_MS, () => !this.signal(0));
    this.release();
  }

  /** Loads `escaped-processes.ts` on use, because most processes never have to stop a hook. */
  async #runaways(mark: string, family: readonly TableEntry[]): Promise<EscapedProcesses | undefined> {
    try {
      const { EscapedProcesses } = await import("./escaped-processes.ts");
      return new EscapedProcesses(mark, () => (this.signal(0) ? this.#id : undefined), family);
    } catch {
      // The installed files were replaced by another version.
      return undefined;
    }
  }
}

// Polls, because Node reports only the end of the leader. The timers keep the process alive on purpose, because a host
// with nothing else to do would end before SIGKILL is sent.
async function within(ms: number, isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline && !isDone()) await delay(PROBE_MS);
}

function exists(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signalTree(leader: number, signal: "SIGTERM" | "SIGKILL" | 0): void {
  if (process.platform !== "win32") {
    process.kill(-leader, signal);
  } else if (signal === 0) {
    process.kill(leader, 0);
  } else {
    const { file, args } = windowsKill(leader, process.env["SystemRoot"]);
    spawn(file, args, { stdio: "ignore", windowsHide: true }).on("error", () => {});
  }
}

/** Ends a process with `taskkill`, because Windows has no SIGTERM. Windows would search the working directory first. */
export function windowsKill(
  leader: number,
  systemRoot = "C:\\Windows",
): { readonly file: string; readonly args: readonly string[] } {
  const file = path.win32.join(systemRoot, "System32", "taskkill.exe");
  return { file, args: ["/pid", String(leader), "/t", "/f"] };
}
