import { describe, expect, onTestFinished, test } from "vitest";
import type { McpServer } from "../../../src/rule.ts";
import { gone, type LoggedServer, mcpRule, newExecutor, newServer, run, start, until } from "./mcp-rule.ts";

/** A server without a library, which answers the handshake, and then a call or a list of tools with the given text. */
function handmade(answer: string, protocolVersion = "2025-06-18"): LoggedServer {
  const script = `
    const fs = require("node:fs");
    const note = (text) => fs.appendFileSync(process.env.LOG + ".notes", text + "\\n");
    fs.appendFileSync(process.env.LOG, process.pid + "\\n");
    const raw = (text) => process.stdout.write(text + "\\n");
    const say = (message) => raw(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const reply = (id, systemMessage) => say({ id, result: { content: [{ type: "text", text: JSON.stringify({ systemMessage }) }] } });
    const nested = (depth) => '{"a":' + "[".repeat(depth) + "]".repeat(depth) + "}";
    const serverInfo = { name: "x", version: "1" };
    const handshake = { protocolVersion: ${JSON.stringify(protocolVersion)}, capabilities: { tools: {} }, serverInfo };
    const answer = ${answer};
    let held = "";
    process.stdin.on("data", (chunk) => {
      const lines = (held + chunk).split("\\n");
      held = lines.pop();
      for (const message of lines.map((line) => JSON.parse(line))) {
        if (message.method === "initialize") say({ id: message.id, result: handshake });
        else if (message.method === "ping") say({ id: message.id, result: {} });
        else if (message.method === undefined) note(message.id + " " + (message.error?.code ?? "ok"));
        else if (message.method.startsWith("tools/")) answer(message.id);
      }
    });`;
  return newServer("", { args: ["-e", script] });
}

const failureOf = (result: Awaited<ReturnType<typeof run>>) => (result.ok ? undefined : result.failure);

describe("a hostile server", () => {
  test("that nests its answer too deeply has failed", async () => {
    const result = `raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":' + nested(100_000) + "}}")`;
    const executor = newExecutor();
    const server = handmade(`(id) => ${result}`);
    for (let call = 0; call < 2; call += 1) {
      expect(failureOf(await run(executor, mcpRule(server, "t")))).toEqual({
        kind: "output-too-large",
        limit: 128,
        value: 129,
        message: expect.stringMatching(
          /^MCP tool "t" of "fixture": gave a structured result that is nested deeper than 128 levels/,
        ),
      });
    }
    expect(server.starts()).toHaveLength(1);
  });

  test("that nests unrequested data too deeply is still asked", async () => {
    const server = handmade(`(id) => {
      for (const method of ["notifications/message", "notifications/progress", "notifications/tools/list_changed"])
        raw('{"jsonrpc":"2.0","method":"' + method + '","params":' + nested(100_000) + "}");
      raw('{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":' + nested(100_000) + "}");
      reply(id, "well");
    }`);
    expect(await run(newExecutor(), mcpRule(server, "t"))).toMatchObject({
      ok: true,
      reply: { systemMessage: "well" },
    });
  });

  test("that sends thousands of requests gets thousands of refusals, and its call is answered", async () => {
    const server = handmade(`(id) => {
      for (let n = 0; n < 2_000; n += 1) {
        say({ id: "ping", method: "ping" });
        say({ id: "elicit", method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } });
      }
      reply(id, "well");
    }`);
    const executor = newExecutor();
    expect(await run(executor, mcpRule(server, "t"))).toMatchObject({ ok: true, reply: { systemMessage: "well" } });
    await until(() => server.notes().length === 4_000);
    expect(new Set(server.notes())).toEqual(new Set(["ping ok", "elicit -32601"]));
  });

  test("that answers late, twice, and under other ids changes no other event's answer", async () => {
    const server = handmade(`(id) => {
      globalThis.first ??= id;
      if (id === first) return note("asked");
      reply(first, "late");
      reply(id + "x", "of nobody");
      reply(id, "own");
      reply(id, "twice");
      reply(first, "later");
    }`);
    const executor = newExecutor();
    const given = start(executor, mcpRule(server, "t"));
    await until(() => server.notes().includes("asked"));
    given.stop.abort({ kind: "timeout", message: "no answer" });
    expect(failureOf(await given.result)).toMatchObject({ kind: "timeout" });
    for (let call = 0; call < 5; call += 1) {
      expect(await run(executor, mcpRule(server, "t"))).toMatchObject({ reply: { systemMessage: "own" } });
    }
  });

  test("that speaks another protocol is ended, and reported without its control characters", async () => {
    const server = handmade("() => {}", "1999-\u001b[31m01");
    expect(failureOf(await run(newExecutor(), mcpRule(server, "t")))).toEqual({
      kind: "unavailable",
      message: expect.stringMatching(/^MCP server "fixture" could not be asked: [^\u001b]*1999-\[31m01$/),
    });
    expect(await gone(server.starts())).toEqual([]);
  });

  test.each([
    ["never ends", "say({ id, result: { tools: [], nextCursor: String(id) } })", /did not terminate$/, 20_000],
    [
      "takes too long as a whole",
      "setTimeout(() => say({ id, result: { tools: [], nextCursor: String(id) } }), 100)",
      /did not give the list of its tools within 500 ms$/,
      500,
    ],
  ])("whose list of tools %s is not waited for", async (_, answer, message, connectMs) => {
    const problems = await newExecutor({ connectMs }).prepare(mcpRule(handmade(`(id) => ${answer}`), "t"));
    expect(problems).toMatchObject([{ severity: "warning", message: expect.stringMatching(message) }]);
  });
});

test.each(["/opt/${PART_OF_A_PATH}/x", "./${PART_OF_A_PATH}", "x-${PART_OF_A_PATH}"])(
  "a program %s that does not exist is reported by its name as it is written",
  async (command) => {
    process.env["PART_OF_A_PATH"] = "hunter2";
    onTestFinished(() => void delete process.env["PART_OF_A_PATH"]);
    const server: McpServer = newServer("", { command });
    const failure = failureOf(await run(newExecutor(), mcpRule(server, "t")));
    expect(failure?.message).toContain(command);
    expect(JSON.stringify(failure)).not.toContain("hunter2");
  },
);
