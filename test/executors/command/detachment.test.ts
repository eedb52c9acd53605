import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { claudeCodeCodec } from "../../../src/dialects/claude-code/codec.ts";
import { readDetachment } from "../../../src/dialects/detachment.ts";
import { hookboxCodec } from "../../../src/dialects/hookbox/codec.ts";
import type { CommandExecutor } from "../../../src/executors/command/command-executor.ts";
import type { RunResult } from "../../../src/outcome.ts";
import {
  commandRule,
  deadline,
  isRunning,
  openExecutor,
  type RuleParts,
  readPids,
  run,
  runToFailure,
  scratchFolder,
} from "./command-rule.ts";

const GONE = { timeout: 10_000, interval: 20 };
const codec = { readDetachment };

/** Returns a hook that detaches itself and waits for a file called `go`. */
function detaching(rest: string, first = '{"async": true}', parts: RuleParts = {}) {
  const folder = scratchFolder();
  const env = { FOLDER: folder };
  const command = `echo $$ >"$FOLDER/pid"; echo '${first}'; until [ -e "$FOLDER/go" ]; do sleep 0.02; done; ${rest}`;
  onTestFinished(() => {
    for (const pid of readPids(path.join(folder, "pid")).filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  return {
    rule: commandRule({ command, env }, { codec, ...parts }),
    go: () => writeFileSync(path.join(folder, "go"), ""),
    pids: () => readPids(path.join(folder, "pid")),
  };
}

async function detachedOf(result: RunResult): Promise<RunResult> {
  if (!result.ok || result.detached === undefined) throw new Error(`not detached: ${JSON.stringify(result)}`);
  return result.detached;
}

describe("a hook that detaches itself", () => {
  test("has answered, without an opinion, and reports its end later", async () => {
    const hook = detaching('echo \'{"decision":"deny"}\'; echo late >&2');
    const result = await run(hook.rule);
    expect(result).toMatchObject({ ok: true, reply: {} });
    expect(hook.pids().filter(isRunning)).toHaveLength(1);
    hook.go();
    const later = await detachedOf(result);
    expect(later).toMatchObject({ ok: true, reply: { decision: "deny" }, receipt: { exitCode: 0, stderr: "late" } });
    expect(later.receipt.micros).toBeGreaterThan(result.receipt.micros);
  });

  test.each([
    ["an exit code", "exit 3", { kind: "exit", value: 3 }],
    ["a signal", "kill -9 $$", { kind: "signal" }],
    ["too much output", "head -c 2000000 /dev/zero", { kind: "output-too-large" }],
  ])("fails later by %s", async (_, rest, failure) => {
    const hook = detaching(rest);
    const result = await run(hook.rule);
    hook.go();
    expect(await detachedOf(result)).toMatchObject({ ok: false, failure });
  });

  test("is no longer bound by the deadline of its rule", async () => {
    const limit = deadline();
    const hook = detaching("exit 0");
    const result = await run(hook.rule, { signal: limit.signal });
    limit.pass();
    expect(hook.pids().filter(isRunning)).toHaveLength(1);
    hook.go();
    expect(await detachedOf(result)).toMatchObject({ ok: true });
  });

  test("gets the time that it asks for, and is ended after it, with its children", async () => {
    const hook = detaching("", '{"async": true, "asyncTimeout": 0.2}');
    const later = await detachedOf(await run(hook.rule));
    expect(later).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 200 } });
    expect(later.ok ? 0 : later.failure.value).toBeGreaterThanOrEqual(199);
    await expect.poll(() => hook.pids().filter(isRunning), GONE).toEqual([]);
  });

  test("gets the time of its rule if it asks for none", async () => {
    const hook = detaching("", '{"async": true}', { timeoutMs: 150 });
    const later = await detachedOf(await run(hook.rule));
    expect(later).toMatchObject({
      failure: { kind: "timeout", limit: 150, message: expect.stringContaining("150 ms") },
    });
  });

  test("is ended with the executor", async () => {
    const executor = openExecutor();
    const hook = detaching("");
    const result = await run(hook.rule, { executor });
    await executor.close();
    expect(await detachedOf(result)).toMatchObject({ ok: false, failure: { kind: "cancelled" } });
    expect(hook.pids().filter(isRunning)).toEqual([]);
  });

  test("is recognised by a line that arrives in pieces, and by a line without an end", async () => {
    const pieces = `printf '  {"asy'; sleep 0.05; printf 'nc": true}'; sleep 600`;
    const result = await run(commandRule(pieces, { codec, timeoutMs: 100 }));
    expect(await detachedOf(result)).toMatchObject({ failure: { kind: "timeout" } });
  });

  test("and has already ended is complete", async () => {
    const result = await run(commandRule("echo '{\"async\": true}'; exit 3", { codec }));
    expect(await detachedOf(result)).toMatchObject({ failure: { kind: "exit", value: 3 } });
  });

  test.each([
    ["decides beside it", '{"async": true, "decision": "deny"}'],
    ["says it on its second line", '{}\n{"async": true}'],
    ["says it after a long line", `${" ".repeat(5000)}{"async": true}`],
    ["does not mean it", '{"async": false}'],
  ])("is not recognised if it prints %s, and is waited for", async (_, output) => {
    const result = await run(commandRule(`printf '%s\\n' '${output}'; sleep 0.1; exit 2`, { codec }));
    expect(result).toMatchObject({ ok: true, reply: { decision: "deny" } });
    expect(result).not.toHaveProperty("detached");
  });

  test("is one of a limited number; the next one is ended, with its children", async () => {
    const executor = openExecutor({ maxDetached: 2 });
    const kept = [detaching(""), detaching("")];
    for (const { rule } of kept) expect(await run(rule, { executor })).toHaveProperty("detached");
    const refused = detaching("");
    expect(await runToFailure(refused.rule, { executor })).toMatchObject({
      kind: "unavailable",
      limit: 2,
      value: 3,
      message: expect.stringMatching(/3.*at most 2/),
    });
    await expect.poll(() => refused.pids().filter(isRunning), GONE).toEqual([]);
    expect(kept.flatMap(({ pids }) => pids()).filter(isRunning)).toHaveLength(2);
    kept[0]?.go();
    const again = detaching("");
    await expect.poll(() => kept[0]?.pids().filter(isRunning), GONE).toEqual([]);
    await expect.poll(async () => (await run(again.rule, { executor })).ok, GONE).toBe(true);
  });

  test("is not recognised by a dialect without this feature", async () => {
    const rule = commandRule("echo '{\"async\": true}'; exit 2", { codec: { readDetachment: () => undefined } });
    expect(await run(rule)).not.toHaveProperty("detached");
  });

  test.each([
    ["hookbox", hookboxCodec],
    ["claude-code", claudeCodeCodec],
  ])("may print any of %s", async (_, real) => {
    const hook = detaching("", '{"async": true, "asyncTimeout": 0.05}', { codec: real });
    expect(await detachedOf(await run(hook.rule))).toMatchObject({ failure: { kind: "timeout", limit: 50 } });
  });
});

describe("an async rule's hook", () => {
  test("keeps its rule's deadline, because no agent waits for it", async () => {
    const rule = commandRule('echo \'{"async": true}\'; echo \'{"reason":"x"}\'', { codec, async: true });
    const result = await run(rule);
    expect(result).toMatchObject({ ok: true, reply: { reason: "x" } });
    expect(result).not.toHaveProperty("detached");
  });
});

describe("a process that takes over hooks", () => {
  const taking = (answer: boolean) => {
    const taken: number[] = [];
    const executor: CommandExecutor = openExecutor({
      handOver: async ({ pid, limitMs, keepsBackground }) => {
        taken.push(pid, limitMs, Number(keepsBackground));
        return answer;
      },
    });
    return { executor, taken };
  };

  test("keeps them: closing the executor does not end them", async () => {
    const { executor, taken } = taking(true);
    const hook = detaching("trap '' PIPE", '{"async": true, "asyncTimeout": 7}');
    const result = await run(hook.rule, { executor });
    expect(result).toMatchObject({ ok: true, reply: {} });
    expect(result).not.toHaveProperty("detached");
    expect(taken).toEqual([...hook.pids(), 7000, 0]);
    await executor.close();
    expect(hook.pids().filter(isRunning)).toHaveLength(1);
  });

  test("and fails to do so leaves them with the executor", async () => {
    const { executor } = taking(false);
    const hook = detaching("");
    const result = await run(hook.rule, { executor });
    await executor.close();
    expect(await detachedOf(result)).toMatchObject({ failure: { kind: "cancelled" } });
    expect(hook.pids().filter(isRunning)).toEqual([]);
  });
});
