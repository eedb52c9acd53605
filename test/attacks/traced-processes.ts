import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";

/** The system calls of running processes. */

const TRACED =
  "connect,open,openat,openat2,execve,execveat,socket,socketpair,fork,vfork,unlink,unlinkat,rename,mkdir,link,symlink,sendto";
/** Traced as well, to show that tracing works. */
const ORDINARY = "read";

/**
 * V8 reads the machine's processors and their clock once, when its threads first wait for each other (Node 24), and
 * glibc reads the overcommit setting when it first returns memory.
 */
const OF_THE_MACHINE =
  /openat\(AT_FDCWD[^,]*, "(\/sys\/devices\/system\/cpu\/(online|cpu0\/tsc_freq_khz)|\/proc\/sys\/vm\/overcommit_memory)", O_RDONLY\|O_CLOEXEC\)/;

export const hasStrace = spawnSync("strace", ["-V"]).status === 0;

interface Trace {
  /** Calls that open, connect, start or change something. */
  readonly calls: readonly string[];
  /** Number of messages that have arrived. */
  readonly reads: number;
}

/** Why strace may not attach to these processes, or their calls during the work. */
export async function traced(pids: readonly number[], work: () => Promise<void>): Promise<Trace | string> {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-trace-"));
  const file = join(folder, "trace");
  const tracer = spawn(
    "strace",
    ["-f", "-qq", "-y", "-o", file, "-e", `trace=${TRACED},${ORDINARY}`, ...pids.flatMap((pid) => ["-p", `${pid}`])],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const said: string[] = [];
  tracer.stderr.on("data", (bytes: Buffer) => said.push(String(bytes)));
  const ended = once(tracer, "exit");
  try {
    // Attached, or not allowed to: strace does not report the former.
    await vi.waitFor(
      () => {
        const isTraced = pids.every((pid) => !/^TracerPid:\s*0$/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
        if (!isTraced && tracer.exitCode === null) throw new Error("not attached yet");
      },
      { timeout: 20_000 },
    );
    if (tracer.exitCode !== null) return `strace may not attach here: ${said.join("")}`;
    await sleep(200);
    await work();
  } finally {
    tracer.kill("SIGTERM");
    await ended;
  }
  const lines = whole(readFileSync(file, "utf8").split("\n"));
  rmSync(folder, { recursive: true });
  const calls = lines.filter((line) => /^\d+ +\w+\(/.test(line) && !line.includes(` ${ORDINARY}(`));
  return {
    calls: calls.filter((call) => !OF_THE_MACHINE.test(call)),
    reads: lines.filter((line) => / read\(3[<,]/.test(line)).length,
  };
}

/** Joins a call that another thread's call has split. */
function whole(lines: readonly string[]): readonly string[] {
  const begun = new Map<string, string>();
  return lines.map((line) => {
    const pid = /^\d+/.exec(line)?.[0] ?? "";
    if (line.endsWith("<unfinished ...>")) {
      begun.set(pid, line.replace(/ ?<unfinished \.\.\.>$/, ""));
      return "";
    }
    return line.replace(/^\d+ +<\.\.\. \w+ resumed>/, () => begun.get(pid) ?? "");
  });
}
