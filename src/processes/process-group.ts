import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * A command hook and all that it started, as long as they stay in the group that it was born in. A child that makes a
 * session of its own (`setsid`) leaves it, and no signal sent here reaches it.
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

  /** `undefined` is the id of a process that was never born. */
  constructor(leader: number | undefined) {
    this.#id = leader;
  }

  /** Whether anyone was left to get the signal; 0 only asks. */
  signal(signal: "SIGTERM" | "SIGKILL" | 0): boolean {
    // Whether the leader is dead does not matter, since its children keep the group and its id alive.
    if (this.#id === undefined) return false;
    try {
      signalTree(this.#id, signal);
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ESRCH") this.#id = undefined;
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

  async #escalate(graceMs: number): Promise<void> {
    this.signal("SIGTERM");
    await within(graceMs, () => !this.signal(0));
    this.signal("SIGKILL");
    await within(DEATH_MS, () => !this.signal(0) || !exists(this.#id));
    await within(BURIAL_MS, () => !this.signal(0));
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
