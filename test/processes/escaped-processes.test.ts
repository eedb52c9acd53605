import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMark, MARK_VARIABLE, markValue, newMark } from "../../src/processes/hook-mark.ts";
import type { ProcessGroup } from "../../src/processes/process-group.ts";
import { startChild } from "../../src/processes/start-child.ts";
import { isRunning, readPids, scratchFolder } from "../executors/command/command-rule.ts";

const SOME_MARK = "0123456789abcdef".repeat(2);
const GONE = { timeout: 10_000, interval: 20 };

/** Logs its process id, and does not end. */
const STAYS = 'echo $$ >>"$PIDS"; exec sleep 600';

interface Started {
  readonly group: ProcessGroup;
  readonly leader: number;
  /** The processes that have logged their ids; ended with the test. */
  readonly pids: () => readonly number[];
}

/** Runs a hook with this script until this many processes have logged their ids. */
async function startHook(script: string, count: number, env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const pidFile = path.join(scratchFolder(), "pids");
  const given = { PATH: process.env["PATH"] ?? "", STAYS, ...env, PIDS: pidFile };
  const { child, group } = startChild({ file: "/bin/sh", args: ["-c", script], cwd: "/", env: given }, Buffer.of());
  const pids = () => readPids(pidFile);
  onTestFinished(async () => {
    await group.end(0);
    for (const pid of pids().filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  await expect.poll(() => pids().length, GONE).toBe(count);
  return { group, leader: child.pid as number, pids };
}

describe.runIf(process.platform === "linux")("a process that has left the group of its hook", () => {
  test.each([
    ["goes when the hook is stopped", 'setsid sh -c "$STAYS" & sleep 600', 1],
    ["goes although it does not heed the first signal", "setsid sh -c \"trap '' TERM; $STAYS\" & sleep 600", 1],
    ["goes although its parent has ended", '(setsid sh -c "$STAYS" &) ; sleep 600', 1],
    ["goes although the hook itself has ended", 'setsid sh -c "$STAYS" &', 1],
    ["goes with what it has started", 'setsid sh -c \'setsid sh -c "$STAYS" & eval "$STAYS"\' & sleep 600', 2],
    ["goes without its environment", 'env -i PIDS="$PIDS" setsid sh -c "$STAYS" & sleep 600', 1],
    [
      "goes without its environment when its parent has left, too",
      'setsid sh -c \'env -i PIDS="$PIDS" setsid sh -c "$STAYS" & sleep 600\' & sleep 600',
      1,
    ],
    [
      "goes with a hook's hook, of which it has a mark as well",
      `${MARK_VARIABLE}=$${MARK_VARIABLE}.${SOME_MARK} setsid sh -c "$STAYS" & sleep 600`,
      1,
    ],
  ])("%s", async (_, script, count) => {
    const { group, leader, pids } = await startHook(script, count);
    expect(pids().filter(isRunning)).toHaveLength(count);
    await group.stop(100);
    expect([leader, ...pids()].filter(isRunning)).toEqual([]);
  });

  test("is ended if another ended process starts it", async () => {
    // It logs this before it starts the other one, which may be gone before it can log anything.
    const onTerm =
      'trap "echo 0 >>\\"\\$PIDS\\"; setsid sh -c \\"\\$STAYS\\" & exit" TERM; echo $$ >>"$PIDS"; while :; do sleep 0.01; done';
    const { group, pids } = await startHook(`ON_TERM='${onTerm}'; setsid sh -c "$ON_TERM" & sleep 600`, 1);
    await group.stop(5_000);
    expect(pids()).toContain(0);
    await expect.poll(() => pids().filter((pid) => pid !== 0 && isRunning(pid)), GONE).toEqual([]);
  });

  test("is signalled once, and has as much time to clean up as the group", async () => {
    const tidies = 'trap "echo 0 >>\\"\\$PIDS\\"" TERM; echo $$ >>"$PIDS"; while :; do sleep 0.01; done';
    const { group, pids } = await startHook(`TIDIES='${tidies}'; setsid sh -c "$TIDIES" & sleep 600`, 1);
    const begun = performance.now();
    const stopped = group.stop(400);
    await expect.poll(() => pids().length, GONE).toBe(2);
    await stopped;
    expect(performance.now() - begun).toBeGreaterThanOrEqual(399);
    expect(pids().filter((pid) => pid === 0)).toHaveLength(1);
    expect(pids().filter((pid) => pid !== 0 && isRunning(pid))).toEqual([]);
  });

  test("keeps running if the hook is not stopped, and only its group is ended", async () => {
    const { group, pids } = await startHook('setsid sh -c "$STAYS" & sh -c "$STAYS" &', 2);
    await group.end(100);
    await expect.poll(() => pids().filter(isRunning).length, GONE).toBe(1);
  });

  test("keeps running if it belongs to another hook, even an equal one", async () => {
    const script = 'setsid sh -c "$STAYS" & sleep 600';
    const [stopped, other] = [await startHook(script, 1), await startHook(script, 1)];
    await stopped.group.stop(100);
    expect(stopped.pids().filter(isRunning)).toEqual([]);
    expect([other.leader, ...other.pids()].filter(isRunning)).toHaveLength(2);
  });

  test("is ended with each of many hooks that are stopped at the same time", async () => {
    const hooks = await Promise.all(
      Array.from({ length: 8 }, () =>
        startHook('env -i PIDS="$PIDS" setsid sh -c "$STAYS" & setsid sh -c "$STAYS" & sleep 600', 2),
      ),
    );
    await Promise.all(hooks.map(({ group }) => group.stop(100)));
    expect(hooks.flatMap(({ leader, pids }) => [leader, ...pids()]).filter(isRunning)).toEqual([]);
  });
});

describe("the mark of a hook's run", () => {
  test("differs each time, and starts with those of the hooks that run it", () => {
    const [outer, inner] = [newMark(), newMark()];
    expect(isMark(outer)).toBe(true);
    expect(outer).not.toBe(inner);
    expect(markValue(inner, { [MARK_VARIABLE]: outer })).toBe(`${outer}.${inner}`);
  });

  test.each(["", "x", "/tmp/a", `${SOME_MARK}.`, Array(16).fill(SOME_MARK).join(".")])(
    "starts with nothing if the variable is no such list: %j",
    (value) => {
      const mark = newMark();
      expect(markValue(mark, { [MARK_VARIABLE]: value })).toBe(mark);
    },
  );

  test.runIf(process.platform === "linux")("cannot be set by the rule", async () => {
    const script = `[ "$${MARK_VARIABLE}" = x ] || echo $$ >>"$PIDS"`;
    await startHook(script, 1, { [MARK_VARIABLE]: "x" });
  });
});
