import { readdirSync, readFileSync } from "node:fs";
import { Piscina } from "piscina";
import { vi } from "vitest";

/** Runners of guests, to be killed by a test that runs alone in its process. */

/** Returns all present threads of any pool. */
export class ThreadVictims {
  readonly #dying: Promise<unknown>[] = [];
  readonly #pools = vi.spyOn(Piscina.prototype, "run").mock;

  get threads(): Piscina["threads"] {
    const pools = new Set(this.#pools.contexts.filter((context) => context instanceof Piscina));
    return [...pools].flatMap((pool) => pool.threads);
  }

  kill(how: (threads: Piscina["threads"]) => Piscina["threads"]): number {
    const chosen = how(this.threads);
    this.#dying.push(...chosen.map((thread) => thread.terminate()));
    return chosen.length;
  }

  /** A thread that is told to end may still be given a call, which then fails. */
  async dead(): Promise<void> {
    await Promise.all(this.#dying);
  }
}

/** Returns the sandbox processes that are children of this process. Linux only. */
export function sandboxPids(): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      const isOurs =
        Number(parent) === process.pid && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("child.js");
      return isOurs ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended since it was listed.
  }
}
