import { describe, expect, test } from "vitest";
import { hookboxCodec } from "../../../src/dialects/hookbox/codec.ts";
import type { Failure } from "../../../src/outcome.ts";
import { gone, isAlive, mcpRule, newExecutor, newServer, run, start, until } from "./mcp-rule.ts";

const late: Failure = { kind: "timeout", message: "no answer within 5 ms", limit: 5, value: 5 };
const failureOf = (result: Awaited<ReturnType<typeof run>>) => (result.ok ? undefined : result.failure);

describe("an MCP server", () => {
  test("is one process for all rules and events, with a limit for calls at the same time", async () => {
    const executor = newExecutor({ callsAtOnce: 4 });
    const server = newServer();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        run(executor, mcpRule({ ...server }, "slow", {}, { name: `rule ${index}` })),
      ),
    );
    const [pid] = server.starts();
    const said = results.map((result) => (result.ok ? result.reply.systemMessage : result.failure.message));
    expect(new Set(said.slice(10))).toEqual(new Set([`at most 4 of ${pid}`]));
    expect(server.starts()).toHaveLength(1);
  });

  test("is a separate process for an agent with another environment", async () => {
    const executor = newExecutor();
    const server = newServer();
    await run(executor, mcpRule(server, "pid", {}, { layer: "user" }));
    await run(executor, mcpRule(server, "pid", {}, { layer: "user", codec: hookboxCodec }));
    expect(server.starts()).toHaveLength(2);
  });

  test("is ended with the engine, with everything that it started", async () => {
    const executor = newExecutor();
    const server = newServer("grandchild");
    expect(await run(executor, mcpRule(server, "pid"))).toMatchObject({ ok: true });
    const pids = [...server.starts(), ...server.notes().map(Number)];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await executor.close();
    expect(await gone(pids)).toEqual([]);
  });

  test("is killed if it ignores the first signal", async () => {
    const executor = newExecutor();
    const server = newServer("ignores-sigterm");
    await run(executor, mcpRule(server, "pid"));
    await executor.close();
    expect(server.starts().filter(isAlive)).toEqual([]);
  });

  test("is ended when it is idle for a while, and started again by the next call", async () => {
    const executor = newExecutor({ idleMs: 1, restarts: 0 });
    const server = newServer();
    for (const starts of [1, 2, 3]) {
      expect(await run(executor, mcpRule(server, "pid"))).toMatchObject({ ok: true });
      expect(server.starts()).toHaveLength(starts);
      expect(await gone(server.starts())).toEqual([]);
    }
  });

  test("that was killed is started again by the next call", async () => {
    const executor = newExecutor();
    const server = newServer();
    const first = await run(executor, mcpRule(server, "pid"));
    const calling = start(executor, mcpRule(server, "hangs"));
    await until(() => server.notes().includes("hangs"));
    process.kill(Number(first.output), "SIGKILL");
    expect(failureOf(await calling.result)).toEqual({
      kind: "unavailable",
      message: 'MCP server "fixture" was killed by SIGKILL',
    });
    const second = await run(executor, mcpRule(server, "pid"));
    expect(server.starts().map(String)).toEqual([first.output, second.output]);
  });

  test("that dies each time is no longer started after a few attempts", async () => {
    const executor = newExecutor({ restarts: 2 });
    const server = newServer("exits");
    const results = [];
    for (let call = 0; call < 5; call += 1) results.push(failureOf(await run(executor, mcpRule(server, "pid"))));
    expect(server.starts()).toHaveLength(3);
    expect(results[2]?.message).toBe('MCP server "fixture" ended with exit code 3: no such database');
    expect(results[4]).toEqual({
      kind: "unavailable",
      message: expect.stringMatching(
        /^MCP server "fixture" has failed 3 times within 60000 ms, over the limit of 2 restarts, .*the last time: ended with exit code 3: no such database$/,
      ),
      limit: 2,
      value: 3,
    });
  });

  test("is shared by calls that arrive while it starts, and each gets the reason if it does not start", async () => {
    const executor = newExecutor();
    const server = newServer("exits");
    const rule = mcpRule(server, "pid");
    const results = await Promise.all(Array.from({ length: 10 }, () => run(executor, rule)));
    expect(server.starts().length).toBeLessThanOrEqual(2);
    for (const result of results) expect(failureOf(result)?.message).toContain("no such database");
  });
});

describe("a call that is given up", () => {
  test("before it starts starts nothing", async () => {
    const executor = newExecutor();
    const server = newServer();
    const calling = start(executor, mcpRule(server, "pid"));
    calling.stop.abort(late);
    expect(failureOf(await calling.result)).toBe(late);
    expect(server.starts()).toEqual([]);
  });

  test("while the server starts does not affect other calls", async () => {
    const executor = newExecutor();
    const server = newServer();
    const rule = mcpRule(server, "pid");
    const [first, second] = [start(executor, rule), start(executor, rule)];
    await until(() => server.starts().length === 1);
    first.stop.abort(late);
    expect(failureOf(await first.result)).toBe(late);
    expect(await second.result).toMatchObject({ ok: true });
    expect(server.starts()).toHaveLength(1);
  });

  test("while it is queued leaves the queue", async () => {
    const executor = newExecutor({ callsAtOnce: 1 });
    const server = newServer();
    const working = start(executor, mcpRule(server, "hangs"));
    await until(() => server.notes().includes("hangs"));
    const waiting = start(executor, mcpRule(server, "pid"));
    waiting.stop.abort(late);
    expect(failureOf(await waiting.result)).toBe(late);
    working.stop.abort(late);
    await working.result;
    expect(await run(executor, mcpRule(server, "pid"))).toMatchObject({ ok: true });
  });

  test("while it runs is cancelled at the server, which goes on with other calls", async () => {
    const executor = newExecutor();
    const server = newServer();
    const [given, kept] = [start(executor, mcpRule(server, "hangs")), start(executor, mcpRule(server, "slow"))];
    await until(() => server.notes().includes("hangs"));
    given.stop.abort(late);
    expect(failureOf(await given.result)).toBe(late);
    expect(await kept.result).toMatchObject({ ok: true });
    await until(() => server.notes().includes("cancelled"));
    expect(server.notes()).toEqual(["hangs", "cancelled"]);
    await run(executor, mcpRule(server, "pid"));
    expect(server.starts()).toHaveLength(1);
  });

  test("at a server that hangs ends the server, so that the next call starts another one", async () => {
    const executor = newExecutor({ pingMs: 50 });
    const server = newServer();
    const calling = start(executor, mcpRule(server, "blocks"));
    await until(() => server.notes().includes("blocks"));
    calling.stop.abort(late);
    expect(failureOf(await calling.result)).toBe(late);
    expect(await gone(server.starts())).toEqual([]);
    expect(await run(executor, mcpRule(server, "pid"))).toMatchObject({ ok: true });
    expect(server.starts()).toHaveLength(2);
  });

  test("by closing the engine is over immediately, in each phase", async () => {
    for (const [tool, mode] of [
      ["hangs", ""],
      ["pid", "silent"],
    ] as const) {
      const executor = newExecutor();
      const server = newServer(mode);
      const calling = start(executor, mcpRule(server, tool));
      await until(() => (mode === "" ? server.notes().length > 0 : server.starts().length > 0));
      await executor.close();
      expect(failureOf(await calling.result)).toMatchObject({ kind: "unavailable" });
      expect(server.starts().filter(isAlive)).toEqual([]);
    }
  });
});
