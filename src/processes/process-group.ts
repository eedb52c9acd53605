import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { familyOf, signalAll } from "./family.ts";
import { livingGroups } from "./living-groups.ts";
import type { TableEntry } from "./process-table.ts";
import type { Runaways } from "./runaways.ts";

/**
 * A command hook and all that it started, as long as they stay in the group that it was born in. A child that makes a
 * session of its own (`setsid`) leaves it, and no signal to the group reaches it: `stop` looks for it.
 */

const PROBE_MS = 10;
/** How long the leader's death by SIGKILL is waited for: a process that is stuck in the kernel may never die. */
const DEATH_MS = 1000;
/** How long the others' is. They are buried by init, which in many a container never does, so asking proves little. */
const BURIAL_MS = 50;

export class ProcessGroup {
  /** `undefined` once the group was seen empty: by then the id may be that of somebody else's processes. */
  #id: number | undefined;
  #ending: Promise<void> | undefined;
  readonly #mark: string | undefined;

  /** `undefined` is the id of a process that was never born. The mark is what `startChild` has given it. */
  constructor(leader: number | undefined, mark?: string) {
    this.#id = leader;
    this.#mark = mark;
    if (leader !== undefined) livingGroups().add(this);
  }

  /** The group goes on after this process: nothing ends it when this process ends. */
  release(): void {
    livingGroups().delete(this);
  }

  /** SIGKILL at once to the group and to those that have left it, without a wait for their death. */
  kill(): void {
    const family = this.signal(0) ? familyOf(this.#id as number) : [];
    this.signal("SIGKILL");
    signalAll(family, "SIGKILL");
  }

  /** Whether anyone was left to get the signal; 0 only asks. */
  signal(signal: "SIGTERM" | "SIGKILL" | 0): boolean {
    // Whether the leader is dead does not matter, since its children keep the group and its id alive.
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
   * SIGTERM at once, SIGKILL after the grace period to whoever is left, then a wait for their death. Never rejects. The
   * first call sets the grace; later ones join it.
   */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#escalate(graceMs);
    return this.#ending;
  }

  /** The same, and with them those that have left the group. For a hook that has not ended by itself. */
  stop(graceMs: number): Promise<void> {
    this.#ending ??= this.#escalate(graceMs, this.#id === undefined ? undefined : this.#mark);
    return this.#ending;
  }

  async #escalate(graceMs: number, mark?: string): Promise<void> {
    const graceOver = performance.now() + graceMs;
    // Before the signal: whose parent has died is nobody's child any more.
    const family = mark !== undefined && this.signal(0) ? familyOf(this.#id as number) : [];
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

  /** A process that stops nothing does without. */
  async #runaways(mark: string, family: readonly TableEntry[]): Promise<Runaways | undefined> {
    try {
      const { Runaways } = await import("./runaways.ts");
      return new Runaways(mark, () => (this.signal(0) ? this.#id : undefined), family);
    } catch {
      // The files have been exchanged for those of another version.
      return undefined;
    }
  }
}

// By asking, because only the leader's death is reported to us. The timers hold the event loop on purpose: a host that
// has nothing else to do must not end before the SIGKILL.
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

/** Windows has neither groups nor SIGTERM. By its full path, as the working directory would be searched first. */
export function windowsKill(
  leader: number,
  systemRoot = "C:\\Windows",
): { readonly file: string; readonly args: readonly string[] } {
  const file = path.win32.join(systemRoot, "System32", "taskkill.exe");
  return { file, args: ["/pid", String(leader), "/t", "/f"] };
}
