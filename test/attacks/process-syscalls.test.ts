import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { never, openProcessPool, processTask, settled } from "../executors/wasm/process-pools.ts";
import { guest } from "../helpers/guests.ts";

/** What a sandbox process asks of the system while hostile guests run in it, and nothing was granted. */

const TRACED =
  "connect,open,openat,openat2,execve,execveat,socket,socketpair,fork,vfork,unlink,unlinkat,rename,mkdir,link,symlink,sendto";
/** V8 asks the machine for its processors and their clock, once, when its threads first wait for each other (Node 24). */
const OF_THE_MACHINE =
  /openat\(AT_FDCWD, "\/sys\/devices\/system\/cpu\/(online|cpu0\/tsc_freq_khz)", O_RDONLY\|O_CLOEXEC\)/;

/** Traced as well, to see that a trace is one. */
const ORDINARY = "read";

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

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

test.skipIf(!hasStrace)(
  "a sandbox process that is ready opens nothing, connects to nothing and starts nothing",
  async (context) => {
    const pool = openProcessPool();
    const pids = await settled(pool, 2);
    const folder = mkdtempSync(join(tmpdir(), "hookbox-trace-"));
    const file = join(folder, "trace");
    const tracer = spawn(
      "strace",
      ["-f", "-qq", "-o", file, "-e", `trace=${TRACED},${ORDINARY}`, ...pids.flatMap((pid) => ["-p", `${pid}`])],
      {
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const said: string[] = [];
    tracer.stderr.on("data", (bytes: Buffer) => said.push(String(bytes)));
    const ended = once(tracer, "exit");
    try {
      // Attached, or not allowed to: it says nothing of the former.
      await vi.waitFor(
        () => {
          const isTraced = pids.every((pid) => !/^TracerPid:\s*0$/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
          expect(isTraced || tracer.exitCode !== null).toBe(true);
        },
        { timeout: 20_000 },
      );
      context.skip(tracer.exitCode !== null, `strace may not attach here: ${said.join("")}`);
      await sleep(200);
      for (const name of GUESTS) {
        const task = await processTask(guest(name));
        for (let round = 0; round < 5; round += 1) await pool.run(task, never());
      }
    } finally {
      tracer.kill("SIGTERM");
      await ended;
    }
    expect(pool.processes.map(({ pid }) => pid)).toEqual(pids);
    const lines = readFileSync(file, "utf8").split("\n");
    rmSync(folder, { recursive: true });
    expect(lines.filter((line) => line.includes(" read(3, ")).length).toBeGreaterThan(GUESTS.length);
    const calls = lines.filter((line) => /^\d+ +\w+\(/.test(line) && !line.includes(` ${ORDINARY}(`));
    expect(calls.filter((call) => !OF_THE_MACHINE.test(call))).toEqual([]);
  },
  60_000,
);
