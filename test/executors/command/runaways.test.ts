import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readDetachment } from "../../../src/dialects/detachment.ts";
import type { Failure, RunResult } from "../../../src/outcome.ts";
import { commandRule, deadline, isRunning, openExecutor, readPids, run, scratchFolder } from "./command-rule.ts";

const GONE = { timeout: 10_000, interval: 20 };

/** Returns a hook that starts a child in a separate session and then runs the rest. */
function leaving(rest: string) {
  const pidFile = path.join(scratchFolder(), "pids");
  const child = "setsid sh -c 'echo $$ >\"$PIDS\"; exec sleep 600' &";
  const command = `${child} until [ -s "$PIDS" ]; do sleep 0.01; done; ${rest}`;
  onTestFinished(() => {
    for (const pid of readPids(pidFile).filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  return {
    rule: commandRule({ command, env: { PIDS: pidFile } }, { codec: { readDetachment } }),
    left: () => readPids(pidFile).filter(isRunning),
  };
}

function failureOf(result: RunResult): Failure | undefined {
  return result.ok ? undefined : result.failure;
}

describe.runIf(process.platform === "linux")("a process that a hook has started with setsid", () => {
  test("ends with a hook that its deadline or its caller has stopped", async () => {
    const hook = leaving("sleep 600");
    const limit = deadline();
    const result = run(hook.rule, { signal: limit.signal });
    await expect.poll(() => hook.left().length, GONE).toBe(1);
    limit.pass();
    expect(failureOf(await result)).toMatchObject({ kind: "timeout" });
    await expect.poll(hook.left, GONE).toEqual([]);
  });

  test("ends with a hook that prints too much", async () => {
    const hook = leaving("head -c 2000000 /dev/zero; sleep 600");
    expect(failureOf(await run(hook.rule))).toMatchObject({ kind: "output-too-large" });
    await expect.poll(hook.left, GONE).toEqual([]);
  });

  test("has ended after the executor is closed during its hook", async () => {
    const executor = openExecutor();
    const hook = leaving("sleep 600");
    const result = run(hook.rule, { executor });
    await expect.poll(() => hook.left().length, GONE).toBe(1);
    await executor.close();
    expect(hook.left()).toEqual([]);
    expect(failureOf(await result)).toMatchObject({ kind: "cancelled" });
  });

  test("ends with a hook that detaches itself and is over the limit, or has used its time", async () => {
    const executor = openExecutor({ maxDetached: 1 });
    const kept = leaving('echo \'{"async": true, "asyncTimeout": 0.3}\'; sleep 600');
    const refused = leaving("echo '{\"async\": true}'; sleep 600");
    expect(await run(kept.rule, { executor })).toHaveProperty("detached");
    expect(failureOf(await run(refused.rule, { executor }))).toMatchObject({ kind: "unavailable" });
    await expect.poll(() => [...kept.left(), ...refused.left()], GONE).toEqual([]);
  });

  test.each([true, false])("keeps running after a hook that ends normally (%j)", async (keepsBackgroundProcesses) => {
    const executor = openExecutor();
    const hook = leaving("exit 0");
    const rule = { ...hook.rule, codec: { ...hook.rule.codec, keepsBackgroundProcesses } };
    expect(await run(rule, { executor })).toMatchObject({ ok: true });
    await executor.close();
    expect(hook.left()).toHaveLength(1);
  });
});
