import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes that load a module in every possible way, and their memory. Linux only. */

const DIST = resolve(import.meta.dirname, "../../dist");
const ENGINE_HOST = resolve(import.meta.dirname, "engine-host.mjs");

export const WAYS = ["check", "lock", "run", "lines", "engine on threads", "engine on processes"] as const;
export type Way = (typeof WAYS)[number];

export interface Host {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The most memory that the process used. */
  readonly peakMiB: number;
  /** Its memory `restMs` after its answer, if it goes on after that. */
  readonly restMiB: number | undefined;
  /** Its memory after an embedder had closed its engine. */
  readonly closedMiB: number | undefined;
  /** From the end of its standard input, or its answer, to its end. */
  readonly endMs: number;
}

/** Whether the process goes on until its standard input ends. */
const goesOn = (way: Way): boolean => way === "lines" || way.startsWith("engine");

const CALL = JSON.stringify({
  session_id: "s",
  cwd: "/x",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

function argumentsFor(way: Way, config: string): readonly string[] {
  const cli = join(DIST, "bundle/hookbox.cjs");
  switch (way) {
    case "check":
      return [cli, "check", "--config", config];
    case "lock":
      return [cli, "lock", "--yes", "--config", config];
    case "run":
      return [cli, "run", "--config", config];
    case "lines":
      return [cli, "run", "--lines", "--config", config];
    default:
      return [
        "--expose-gc",
        ENGINE_HOST,
        join(DIST, "bundle/index.js"),
        config,
        way === "engine on threads" ? "thread" : "process",
      ];
  }
}

export interface HostTerms {
  readonly node: string;
  readonly way: Way;
  readonly module: Uint8Array;
  /** How long a process that goes on is left idle after its answer. */
  readonly restMs: number;
  /** Called when the process has only to rest. */
  readonly onRest?: () => void;
}

export async function host({ node, way, module, restMs, onRest = () => {} }: HostTerms): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-heavy-"));
  try {
    const config = join(folder, "hookbox.json");
    const rule = { type: "wasm", module: "./heavy.wasm", timeoutMs: 60_000 };
    const hooks = [
      { ...rule, name: "gate" },
      { ...rule, name: "watcher", mode: "monitor" },
    ];
    writeFileSync(join(folder, "heavy.wasm"), module);
    writeFileSync(config, JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
    const child = spawn(node, argumentsFor(way, config), { cwd: folder, env, stdio: "pipe" });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.on("error", () => {});
    const memory = new Memory(child.pid ?? 0);
    const ended = new Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>((done, reject) => {
      child.on("error", reject);
      child.on("close", (exitCode, signal) => done({ exitCode, signal }));
    });
    if (way === "run" || way === "lines") child.stdin.write(`${CALL}\n`);
    let restMiB: number | undefined;
    if (goesOn(way)) {
      await Promise.race([ended, until(() => stdout.includes("\n"))]);
      onRest();
      await Promise.race([ended, sleep(restMs)]);
      restMiB = memory.now();
    }
    child.stdin.end();
    const begun = performance.now();
    let closedMiB: number | undefined;
    if (way.startsWith("engine")) {
      await Promise.race([ended, until(() => stdout.endsWith("closed\n"))]);
      closedMiB = memory.now();
    }
    const ending = await ended;
    memory.stop();
    onRest();
    return { ...ending, stdout, stderr, peakMiB: memory.peakMiB, restMiB, closedMiB, endMs: performance.now() - begun };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}

/** The kernel's own count, which includes peaks between two measurements, except after the last one. */
class Memory {
  peakMiB = 0;
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#file = `/proc/${pid}/status`;
    this.#timer = setInterval(() => this.#look(), 20);
  }

  now(): number {
    return this.#look()?.rssMiB ?? 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): { readonly rssMiB: number } | undefined {
    try {
      const status = readFileSync(this.#file, "utf8");
      const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024;
      this.peakMiB = Math.max(this.peakMiB, mib("VmHWM"));
      return { rssMiB: mib("VmRSS") };
    } catch {
      return undefined;
    }
  }
}
