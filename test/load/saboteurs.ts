import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../helpers/random.ts";
import type { Resident } from "./resident-server.ts";

/** What is done to a resident server while agents ask it. */

export const FAULTS = ["server", "threads", "processes", "reload", "slow clients"] as const;
export type Fault = (typeof FAULTS)[number];

/** Bytes that a slow client sends before it falls silent. */
const SLOW: readonly string[] = [
  "",
  "POST /v1/hooks/claude-code HTTP/1.1\r\nHost: hook",
  "POST /v1/hooks/claude-code HTTP/1.1\r\nHost: hookbox\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{",
  `POST /v1/hooks/claude-code HTTP/1.1\r\nHost: hookbox\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n${"x".repeat(200_000)}`,
];
/** Slow clients at a time. Older ones go away in the middle of their request. */
const MAX_SLOW = 60;

export class Saboteur {
  readonly #resident: Resident;
  readonly #random: Random;
  readonly #slow: Socket[] = [];
  readonly done: Record<Fault, number> = { server: 0, threads: 0, processes: 0, reload: 0, "slow clients": 0 };
  /** When a fault that may lose a call was injected, on the clock of `performance.now()`. */
  readonly kills: number[] = [];
  /** When processes of hooks were killed. A hook that is killed denies. */
  readonly hookKills: number[] = [];
  #chain: Promise<void> = Promise.resolve();

  constructor(resident: Resident, random: Random) {
    this.#resident = resident;
    this.#random = random;
  }

  /** Faults do not overlap, so that each refusal can be traced to one. */
  inject(fault: Fault): void {
    this.#chain = this.#chain.then(() => this.#do(fault));
  }

  /** Resolves when all faults that were asked for have been injected. */
  async idle(): Promise<void> {
    await this.#chain;
  }

  leave(): void {
    for (const one of this.#slow.splice(0)) one.destroy();
  }

  async #do(fault: Fault): Promise<void> {
    const pid = this.#resident.pid();
    if (pid === undefined) return;
    this.done[fault] += 1;
    if (fault === "reload") return this.#reload();
    if (fault === "slow clients") return this.#slowClients();
    if (fault === "processes") {
      const children = childrenOf(pid);
      this.hookKills.push(performance.now());
      for (const child of children) kill(child, "SIGKILL");
      return;
    }
    this.kills.push(performance.now());
    kill(pid, fault === "threads" ? "SIGWINCH" : "SIGKILL");
    if (fault === "threads") return;
    // The agents' next calls start another one, if there are any.
    for (let i = 0; i < 200 && [undefined, pid].includes(this.#resident.pid()); i++) await sleep(10);
    this.kills.push(performance.now());
  }

  /** A configuration that cannot be used must not come into force, and then one with the same meaning does. */
  async #reload(): Promise<void> {
    const { file } = this.#resident;
    const good = this.#resident.configuration(this.#random.below(1_000_000));
    const bad = this.#random.pick(["{", "", '{"hooks":{"PreToolUse":[{"matcher":"["}]}}', undefined]);
    if (bad === undefined) rmSync(file);
    else writeFileSync(file, bad);
    await sleep(this.#random.below(150));
    writeFileSync(file, good);
    await sleep(50);
  }

  #slowClients(): void {
    const { socket, port } = this.#resident;
    for (let i = 0; i < 8; i++) {
      const client = this.#random.pick([() => connect(socket), () => connect({ port, host: "127.0.0.1" })])();
      client.on("error", () => {});
      client.write(this.#random.pick(SLOW));
      // Half open: this side sends nothing more.
      if (this.#random.below(2) === 0) client.end();
      this.#slow.push(client);
    }
    while (this.#slow.length > MAX_SLOW) this.#slow.shift()?.destroy();
  }
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, of] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(of) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended since it was found.
  }
}
