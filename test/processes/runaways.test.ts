import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMark, MARK_VARIABLE, markValue, newMark } from "../../src/processes/hook-mark.ts";
import type { ProcessGroup } from "../../src/processes/process-group.ts";
import { startChild } from "../../src/processes/start-child.ts";
import { isRunning, readPids, scratchFolder } from "../executors/command/command-rule.ts";

const SOME_MARK = "0123456789abcdef".repeat(2);
const GONE = { timeout: 10_000, interval: 20 };

/** Writes down who it is, and stays. */
const STAYS = 'echo $$ >>"$PIDS"; exec sleep 600';

interface Started {
  readonly group: ProcessGroup;
  readonly leader: number;
  /** Those who have written down who they are; ended with the test, whatever it makes of them. */
  readonly pids: () => readonly number[];
}

/** A hook of this script, when so many have written down who they are. */
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

  test("goes when it is started by another one that is told to end", async () => {
    // It says so before it starts the other, which may be gone before it can say anything.
    const onTerm =
      'trap "echo 0 >>\\"\\$PIDS\\"; setsid sh -c \\"\\$STAYS\\" & exit" TERM; echo $$ >>"$PIDS"; while :; do sleep 0.01; done';
    const { group, pids } = await startHook(`ON_TERM='${onTerm}'; setsid sh -c "$ON_TERM" & sleep 600`, 1);
    await group.stop(5_000);
    expect(pids()).toContain(0);
    await expect.poll(() => pids().filter((pid) => pid !== 0 && isRunning(pid)), GONE).toEqual([]);
  });

  test("is told once, and has as much time to tidy up as the group", async () => {
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

  test("stays when nobody stops the hook, but only ends what it has left in its group", async () => {
    const { group, pids } = await startHook('setsid sh -c "$STAYS" & sh -c "$STAYS" &', 2);
    await group.end(100);
    await expect.poll(() => pids().filter(isRunning).length, GONE).toBe(1);
  });

  test("stays when it is another hook's, however alike", async () => {
    const script = 'setsid sh -c "$STAYS" & sleep 600';
    const [stopped, other] = [await startHook(script, 1), await startHook(script, 1)];
    await stopped.group.stop(100);
    expect(stopped.pids().filter(isRunning)).toEqual([]);
    expect([other.leader, ...other.pids()].filter(isRunning)).toHaveLength(2);
  });

  test("goes with each of many hooks that are stopped at once", async () => {
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
  test("is another one each time, and has those of the hooks that it is run by in front", () => {
    const [outer, inner] = [newMark(), newMark()];
    expect(isMark(outer)).toBe(true);
    expect(outer).not.toBe(inner);
    expect(markValue(inner, { [MARK_VARIABLE]: outer })).toBe(`${outer}.${inner}`);
  });

  test.each(["", "x", "/tmp/a", `${SOME_MARK}.`, Array(16).fill(SOME_MARK).join(".")])(
    "has nothing in front that is no such list: %j",
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
