import { getEventListeners } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CommandExecutor } from "../../../src/executors/command/command-executor.ts";
import type { RunResult } from "../../../src/outcome.ts";
import {
  commandRule,
  type Deadline,
  deadline,
  isRunning,
  openExecutor,
  type RuleParts,
  readPids,
  run,
  runToFailure,
  runToReply,
  scratchFolder,
  TIMEOUT_FAILURE,
} from "./command-rule.ts";

const GONE = { timeout: 20_000, interval: 20 };
/** Longer than a test may take: a test that waits this long fails. */
const TOO_LONG_MS = 600_000;

interface Started {
  readonly result: Promise<RunResult>;
  readonly pids: readonly number[];
  readonly folder: string;
}

/** Starts a hook that writes its process ids, and waits until it has written them. */
async function startHook(
  name: string,
  executor: CommandExecutor,
  signal?: AbortSignal,
  parts?: RuleParts,
): Promise<Started> {
  const folder = scratchFolder();
  const pidFile = path.join(folder, "pids");
  const env = { PID_FILE: pidFile, DONE_FILE: path.join(folder, "done") };
  const rule = commandRule({ command: `./${name}`, args: [], env }, parts);
  const result = run(rule, signal === undefined ? { executor } : { executor, signal });
  await expect.poll(() => readPids(pidFile).length, GONE).toBeGreaterThan(0);
  const pids = readPids(pidFile);
  onTestFinished(() => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  return { result, pids, folder };
}

async function timeOut(hook: Started, limit: Deadline): Promise<void> {
  limit.pass();
  expect(await hook.result).toMatchObject({ ok: false, failure: TIMEOUT_FAILURE });
}

async function expectGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning), GONE).toEqual([]);
}

function countDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

describe("a hook that reaches its deadline", () => {
  test("is told to stop before the run resolves, and may clean up", async () => {
    const limit = deadline();
    const executor = openExecutor({ killGraceMs: 10_000 });
    const hook = await startHook("tidies-up-on-sigterm.sh", executor, limit.signal);
    await timeOut(hook, limit);
    await expect.poll(() => existsSync(path.join(hook.folder, "done")), GONE).toBe(true);
    await expectGone(hook.pids);
  });

  test("is killed when it ignores SIGTERM", async () => {
    const limit = deadline();
    const hook = await startHook("ignores-sigterm.sh", openExecutor(), limit.signal);
    await timeOut(hook, limit);
    await expectGone(hook.pids);
  });

  test("is killed together with a child that ignores SIGTERM and outlives its leader", async () => {
    const limit = deadline();
    const hook = await startHook("leaves-stubborn-child.sh", openExecutor(), limit.signal);
    await timeOut(hook, limit);
    await expectGone(hook.pids);
  });

  test("does not delay the answer by its grace period", async () => {
    const limit = deadline();
    const executor = openExecutor({ killGraceMs: TOO_LONG_MS });
    const hook = await startHook("ignores-sigterm.sh", executor, limit.signal);
    await timeOut(hook, limit);
    expect(hook.pids.every(isRunning)).toBe(true);
    for (const pid of hook.pids) process.kill(-pid, "SIGKILL");
  });

  test("leaves no listener on the signal", async () => {
    const limit = deadline();
    const hook = await startHook("ignores-sigterm.sh", openExecutor(), limit.signal);
    expect(getEventListeners(limit.signal, "abort")).toHaveLength(1);
    await timeOut(hook, limit);
    expect(getEventListeners(limit.signal, "abort")).toEqual([]);
  });

  test("is a timeout if only a grandchild keeps its output open", async () => {
    const limit = deadline();
    const hook = await startHook("child-holds-stdout.sh", openExecutor({ drainMs: 60_000 }), limit.signal);
    await timeOut(hook, limit);
    await expectGone(hook.pids);
  });

  test("is ended even if its dialect keeps background processes", async () => {
    const limit = deadline();
    const codec = { keepsBackgroundProcesses: true };
    const hook = await startHook("leaves-stubborn-child.sh", openExecutor(), limit.signal, { codec });
    await timeOut(hook, limit);
    await expectGone(hook.pids);
  });
});

describe("a hook that writes without end", () => {
  test("is stopped at the limit", async () => {
    const failure = await runToFailure(commandRule("yes"));
    expect(failure).toMatchObject({ kind: "output-too-large", limit: 1024 * 1024 });
    expect(failure.value).toBeGreaterThan(1024 * 1024);
    expect(failure.value).toBeLessThan(2 * 1024 * 1024);
  });

  test("is stopped with its whole group, without a grace period", async () => {
    const folder = scratchFolder();
    const pidFile = path.join(folder, "pids");
    const command = `trap '' TERM; sleep 600 & echo $$ $! | tr ' ' '\\n' >'${pidFile}'; yes`;
    const executor = openExecutor({ killGraceMs: TOO_LONG_MS });
    expect((await runToFailure(commandRule(command), { executor })).kind).toBe("output-too-large");
    expect(readPids(pidFile)).toHaveLength(2);
    await expectGone(readPids(pidFile));
  });

  test("with 400 MB on stdout does not take the memory or the time of 400 MB", async () => {
    const before = process.memoryUsage().rss;
    const failure = await runToFailure(commandRule("head -c 400000000 /dev/zero; sleep 600"));
    expect(failure.kind).toBe("output-too-large");
    expect(failure.value).toBeLessThan(2 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test("with 250 MB on stderr is read, cut, and has not failed", async () => {
    const before = process.memoryUsage().rss;
    const command = "head -c 250000000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 2";
    const reply = await runToReply(commandRule(command), { executor: openExecutor({ stderrBytes: 1000 }) });
    expect(reply.decision).toBe("deny");
    expect(reply.reason).toMatch(/^x{992}the end\n$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });
});

describe("a grandchild that holds the output open", () => {
  test("does not delay the answer, and is killed", async () => {
    const hook = await startHook("child-holds-stdout.sh", openExecutor());
    expect(await hook.result).toMatchObject({ ok: true, reply: { decision: "deny", reason: "said before the exit" } });
    await expectGone(hook.pids);
  });

  test("cannot suppress the hook's answer, even if the event loop is busy and nothing is drained", async () => {
    for (let round = 0; round < 20; round += 2) {
      const rule = commandRule('sleep 600 & echo \'{"decision":"deny"}\'; sleep 0.02');
      const reply = runToReply(rule, { executor: openExecutor({ drainMs: 0 }) });
      await new Promise((resolve) => setTimeout(resolve, round));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
      expect(await reply).toMatchObject({ decision: "deny" });
    }
  });

  test("keeps running if the rule's dialect allows it", async () => {
    const executor = openExecutor();
    const hook = await startHook("child-holds-stdout.sh", executor, undefined, {
      codec: { keepsBackgroundProcesses: true },
    });
    expect(await hook.result).toMatchObject({ ok: true, reply: { decision: "deny" } });
    await executor.close();
    expect(hook.pids.every(isRunning)).toBe(true);
  });

  test("has no effect with what it writes after the drain", async () => {
    const rule = commandRule("(sleep 2; echo late) & echo early");
    const reply = await runToReply(rule);
    expect(reply.additionalContext).toEqual(["early\n"]);
  });

  // The hook ended without being stopped, so the child is not killed; only its pipes are closed.
  test.runIf(process.platform === "linux")(
    "survives in a separate session, and holds none of our descriptors",
    async () => {
      const executor = openExecutor();
      const before = countDescriptors();
      const hook = await startHook("child-in-own-session.sh", executor);
      expect(await hook.result).toMatchObject({ ok: true, reply: { reason: "answered" } });
      await executor.close();
      await expect.poll(countDescriptors, GONE).toBeLessThanOrEqual(before);
      expect(hook.pids.every(isRunning)).toBe(true);
    },
  );
});

describe("closing the executor", () => {
  test("ends running hooks, whose runs are cancelled", async () => {
    const executor = openExecutor();
    const hooks = await Promise.all(
      ["ignores-sigterm.sh", "leaves-stubborn-child.sh", "tidies-up-on-sigterm.sh"].map((name) =>
        startHook(name, executor),
      ),
    );
    await executor.close();
    await expectGone(hooks.flatMap((hook) => hook.pids));
    for (const hook of hooks) expect(await hook.result).toMatchObject({ ok: false, failure: { kind: "cancelled" } });
  });

  test("waits for the end of a hook that was told to stop at its deadline", async () => {
    const limit = deadline();
    const executor = openExecutor({ killGraceMs: 300 });
    const hook = await startHook("ignores-sigterm.sh", executor, limit.signal);
    await timeOut(hook, limit);
    expect(hook.pids.every(isRunning)).toBe(true);
    await executor.close();
    expect(hook.pids.filter(isRunning)).toEqual([]);
  });

  test("may be repeated, and nothing starts after it", async () => {
    const executor = openExecutor();
    await executor.close();
    await executor.close();
    expect(await runToFailure(commandRule("true"), { executor })).toMatchObject({ kind: "unavailable" });
  });
});

test.runIf(process.platform === "linux")("forty runs of every kind leave no descriptor behind", async () => {
  const executor = openExecutor({ stdoutBytes: 1000 });
  await run(commandRule("true"), { executor });
  const before = countDescriptors();
  const commands = ["true", "exit 1", "kill -9 $$", "yes", "sleep 600 & echo x"];
  const rounds = Array.from({ length: 8 }, () => commands.map((command) => run(commandRule(command), { executor })));
  await Promise.all(rounds.flat());
  await executor.close();
  await expect.poll(countDescriptors, GONE).toBeLessThanOrEqual(before);
});
