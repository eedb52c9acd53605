import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { gone, isAlive, mcpRule, newExecutor, newServer, run, start, until } from "./mcp-rule.ts";

const failureOf = (result: Awaited<ReturnType<typeof run>>) => (result.ok ? undefined : result.failure);

describe("a server that cannot be started", () => {
  test.each([
    [
      "a program that does not exist",
      { command: "/no/such/program" },
      /could not be started: \/no\/such\/program does not exist/,
    ],
    [
      "a name that is not on the search path",
      { command: "no-such-program" },
      /"no-such-program" was not found on PATH/,
    ],
    ["a folder that does not exist", { workingDir: "/no/such/folder" }, /its folder \/no\/such\/folder does not exist/],
    ["an argument that no program can have", { args: ["a\0b"] }, /could not be started: /],
  ])("because of %s fails by name", async (_, parts, message) => {
    const failure = failureOf(await run(newExecutor(), mcpRule(newServer("", parts), "pid")));
    expect(failure).toEqual({ kind: "unavailable", message: expect.stringMatching(message) });
    expect(failure?.message).toMatch(/^MCP server "fixture" could not be started/);
  });

  test("because of its path is searched in its own folder", async () => {
    const server = newServer("", { command: "./no-such-program" });
    const failure = failureOf(await run(newExecutor(), mcpRule(server, "pid")));
    expect(failure?.message).toContain(`${server.workingDir}/no-such-program does not exist`);
  });
});

describe("a server", () => {
  test("that exits immediately is reported with its last output", async () => {
    const failure = failureOf(await run(newExecutor(), mcpRule(newServer("exits"), "pid")));
    expect(failure).toEqual({
      kind: "unavailable",
      message: 'MCP server "fixture" ended with exit code 3: no such database',
    });
  });

  test("that never answers the handshake is given up, and ended", async () => {
    const server = newServer("silent");
    const failure = failureOf(await run(newExecutor({ connectMs: 50 }), mcpRule(server, "pid")));
    expect(failure).toEqual({
      kind: "unavailable",
      message: 'MCP server "fixture" did not finish its handshake within 50 ms',
      limit: 50,
      value: 50,
    });
    expect(await gone(server.starts())).toEqual([]);
  });

  test.each(["garbage", "floods-stderr"])("in mode %s works nevertheless", async (mode) => {
    expect(await run(newExecutor(), mcpRule(newServer(mode), "pid"))).toMatchObject({ ok: true });
  });

  test.each([
    [
      "floods-at-start",
      /^MCP server "fixture" wrote unrequested messages of \d+ bytes or more, over the limit of 10000$/,
    ],
    ["endless-line", /^MCP server "fixture" wrote a message of \d+ bytes or more, over the limit of 5000$/],
  ])("in mode %s is ended for it", async (mode, message) => {
    const server = newServer(mode);
    const executor = newExecutor({ messageBytes: 5_000, chatterBytes: 10_000 });
    expect(failureOf(await run(executor, mcpRule(server, "pid")))).toEqual({
      kind: "output-too-large",
      message: expect.stringMatching(message),
      limit: expect.any(Number),
      value: expect.any(Number),
    });
    expect(await gone(server.starts())).toEqual([]);
  });

  test("that dies during a call fails that call by name", async () => {
    const failure = failureOf(await run(newExecutor(), mcpRule(newServer(), "dies")));
    expect(failure).toEqual({
      kind: "unavailable",
      message: 'MCP server "fixture" ended with exit code 4: fell over',
    });
  });

  test("whose pipes another process holds works, and when it dies, it is no longer waited for", async () => {
    const server = newServer("grandchild");
    const executor = newExecutor();
    expect(await run(executor, mcpRule(server, "pid"))).toMatchObject({ ok: true });
    const failure = failureOf(await run(executor, mcpRule(server, "dies")));
    expect(failure?.message).toBe('MCP server "fixture" ended with exit code 4: fell over');
    expect(await gone([...server.starts(), ...server.notes().map(Number)])).toEqual([]);
    expect(server.starts()).toHaveLength(1);
  });

  test("that closes its output can no longer answer, and is ended", async () => {
    const server = newServer();
    const failure = failureOf(await run(newExecutor(), mcpRule(server, "closes-output")));
    expect(failure?.message).toContain("closed its output");
    expect(await gone(server.starts())).toEqual([]);
  });

  test("that sends a flood of notifications is ended", async () => {
    const failure = failureOf(await run(newExecutor({ chatterBytes: 100_000 }), mcpRule(newServer(), "floods")));
    expect(failure).toMatchObject({ kind: "output-too-large", limit: 100_000 });
  });

  test("that answers with more than the limit fails by limit and value", async () => {
    const server = newServer();
    const failure = failureOf(await run(newExecutor(), mcpRule(server, "big", { bytes: 2 * 1_048_576 })));
    expect(failure).toMatchObject({ kind: "output-too-large", limit: 1_048_576 });
    expect(failure?.value).toBeGreaterThan(1_048_576);
  });

  test("that does not read is ended before hookbox runs out of memory", async () => {
    const executor = newExecutor({ queuedBytes: 300_000, callsAtOnce: 100 });
    const server = newServer();
    const blocked = start(executor, mcpRule(server, "blocks"));
    await until(() => server.notes().includes("blocks"));
    const said = "x".repeat(100_000);
    const results = await Promise.all(
      Array.from({ length: 9 }, () => run(executor, mcpRule(server, "echo", { said }))),
    );
    expect(failureOf(await blocked.result)?.message).toMatch(
      /does not read what it is sent: \d+ bytes are waiting, over the limit of 300000/,
    );
    expect(results.some(({ ok }) => !ok)).toBe(true);
  });
});

describe("before the first event", () => {
  test("a tool that the server has is no problem, and a tool that it does not have is one, with a suggestion", async () => {
    const executor = newExecutor();
    const server = newServer();
    expect(await executor.prepare(mcpRule(server, "pid"))).toEqual([]);
    const place = { file: "hookbox.json", line: 3 };
    expect(await executor.prepare(mcpRule(server, "ecko", {}, { place }))).toEqual([
      {
        severity: "error",
        code: "HOOK_MCP_SERVER",
        message: 'rule "asks": MCP server "fixture" has no tool "ecko"',
        hint: 'did you mean "echo"?',
        place,
      },
    ]);
    const [problem] = await executor.prepare(mcpRule(server, "something-else-altogether"));
    expect(problem?.hint).toMatch(/^it offers: echo, say, /);
    expect(server.starts()).toHaveLength(1);
  });

  test("a server that does not start is a problem, with its last output", async () => {
    expect(await newExecutor().prepare(mcpRule(newServer("exits"), "pid"))).toEqual([
      {
        severity: "warning",
        code: "HOOK_MCP_SERVER",
        message: 'rule "asks" cannot call its tool: MCP server "fixture" ended with exit code 3: no such database',
        hint: "until this is fixed, the rule fails each time it runs",
      },
    ]);
  });

  test("a server that does not answer is waited for only a limited time", async () => {
    const [problem] = await newExecutor({ connectMs: 50 }).prepare(mcpRule(newServer("silent"), "pid"));
    expect(problem?.message).toContain("did not finish its handshake within 50 ms");
  });
});

test("a process that does not close its engine ends nevertheless, and leaves no server behind", async () => {
  const server = newServer("ignores-sigterm");
  const script = `
    const { McpToolExecutor } = await import(${JSON.stringify(builtUrl("executors/mcp/mcp-tool-executor.js"))});
    const { claudeCodeCodec: codec } = await import(${JSON.stringify(builtUrl("dialects/claude-code/codec.js"))});
    const { Stop } = await import(${JSON.stringify(builtUrl("stop-signal.js"))});
    const handler = { type: "mcp_tool", server: "s", tool: "pid", input: {}, found: ${JSON.stringify(server)} };
    const event = { name: "PreToolUse", dialect: "claude-code", payload: {} };
    const options = { signal: new Stop(), timeLeftMs: 1e4 };
    const { output } = await new McpToolExecutor().run({ id: "r", codec, handler }, event, options);
    process.stdout.write(String(output));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 20_000,
  });
  expect(server.starts()).toEqual([Number(stdout)]);
  await until(() => !isAlive(Number(stdout)));
  expect(isAlive(Number(stdout))).toBe(false);
});

function builtUrl(file: string): string {
  return new URL(`../../../dist/${file}`, import.meta.url).href;
}
