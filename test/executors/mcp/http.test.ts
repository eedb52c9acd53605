import { afterEach, describe, expect, test } from "vitest";
import type { Failure } from "../../../src/outcome.ts";
import type { McpServer } from "../../../src/rule.ts";
import { type HttpMcp, type HttpMcpOptions, httpMcp } from "./http-server.ts";
import { mcpRule, newExecutor, run, start, until } from "./mcp-rule.ts";

const servers: HttpMcp[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const late: Failure = { kind: "timeout", message: "no answer within 5 ms", limit: 5, value: 5 };
const failureOf = (result: Awaited<ReturnType<typeof run>>) => (result.ok ? undefined : result.failure);
const notes: string[] = [];

async function serve(options: HttpMcpOptions = {}): Promise<HttpMcp> {
  const tools: Parameters<typeof httpMcp>[0] = {
    greets: () => '{"systemMessage":"hello"}',
    big: ({ bytes }) => "x".repeat(bytes),
    hangs: (_, { mcpReq }) => {
      notes.push("hangs");
      mcpReq.signal.addEventListener("abort", () => notes.push("cancelled"));
      return new Promise(() => {});
    },
    progresses: async (_, { mcpReq }) => {
      const params = { progressToken: 0, progress: 1 };
      await mcpReq.notify({ method: "notifications/progress", params });
      return '{"systemMessage":"done"}';
    },
  };
  const server = await httpMcp(tools, options);
  servers.push(server);
  notes.length = 0;
  return server;
}

const at = ({ url }: { readonly url: string }, headers: Record<string, string> = {}): McpServer => ({
  kind: "http",
  url,
  headers,
  network: "loopback",
});
const whats = (server: HttpMcp): readonly string[] => server.requests.map(({ what }) => what);

describe.each([
  ["one document", true],
  ["a stream", false],
])("a tool behind an address that answers with %s", (_, json) => {
  test("is called in one session for all events, which ends with the engine", async () => {
    const executor = newExecutor();
    const server = await serve({ json });
    const rule = mcpRule(at(server, { authorization: "Bearer t" }), "greets");
    const results = await Promise.all(Array.from({ length: 20 }, () => run(executor, rule)));
    for (const result of results) expect(result).toMatchObject({ ok: true, reply: { systemMessage: "hello" } });
    expect(whats(server).filter((what) => what === "POST initialize")).toHaveLength(1);
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer t"]));
    expect(whats(server)).not.toContain("GET");
    expect(server.sessions()).toBe(1);
    await executor.close();
    expect(whats(server)).toContain("DELETE");
    expect(server.sessions()).toBe(0);
    await until(() => server.openSockets() === 0);
    expect(server.openSockets()).toBe(0);
  });

  test("with an answer over the limit fails by limit and value", async () => {
    const server = await serve({ json });
    const failure = failureOf(await run(newExecutor(), mcpRule(at(server), "big", { bytes: 2 * 1_048_576 })));
    expect(failure).toMatchObject({ kind: "output-too-large", limit: 1_048_576 });
    expect(failure?.message).toMatch(/^MCP server "fixture" failed: .*over the limit of 1048576$/);
    expect(failure?.value).toBeGreaterThan(1_048_576);
  });

  test("is cancelled when the call is given up, and its connection is closed", async () => {
    const executor = newExecutor();
    const server = await serve({ json });
    const calling = start(executor, mcpRule(at(server), "hangs"));
    await until(() => notes.includes("hangs"));
    calling.stop.abort(late);
    expect(failureOf(await calling.result)).toBe(late);
    await until(() => notes.includes("cancelled"));
    expect(notes).toEqual(["hangs", "cancelled"]);
    await until(() => server.openSockets() === 0);
    expect(server.openSockets()).toBe(0);
    expect(await run(executor, mcpRule(at(server), "greets"))).toMatchObject({ ok: true });
    expect(whats(server).filter((what) => what === "POST initialize")).toHaveLength(1);
  });

  test("gets a new session if the server has forgotten the old one", async () => {
    const executor = newExecutor();
    const server = await serve({ json });
    await run(executor, mcpRule(at(server), "greets"));
    server.forget();
    const results = await Promise.all(Array.from({ length: 5 }, () => run(executor, mcpRule(at(server), "greets"))));
    for (const result of results) expect(result).toMatchObject({ ok: true, reply: { systemMessage: "hello" } });
    expect(whats(server).filter((what) => what === "POST initialize")).toHaveLength(2);
  });
});

describe("a tool behind an address", () => {
  test("may report its progress", async () => {
    const result = await run(newExecutor(), mcpRule(at(await serve()), "progresses"));
    expect(result).toMatchObject({ ok: true, reply: { systemMessage: "done" } });
  });

  test.each([401, 403, 404, 500, 503])("that answers the handshake with status %d fails by it", async (status) => {
    const server = await serve({
      instead: (_, response) => {
        response.writeHead(status).end("\u001b[31mno\u001b[0m");
        return true;
      },
    });
    expect(failureOf(await run(newExecutor(), mcpRule(at(server), "greets")))).toEqual({
      kind: "unavailable",
      message: `MCP server "fixture" answered with status ${status}`,
      value: status,
    });
    await until(() => server.openSockets() === 0);
    expect(server.openSockets()).toBe(0);
  });

  test.each([404, 500])(
    "that answers each call with status %d fails by it, and is not asked without end",
    async (status) => {
      const server = await serve({
        instead: (what, response) => {
          if (what === "POST tools/call") response.writeHead(status).end();
          return what === "POST tools/call";
        },
      });
      expect(failureOf(await run(newExecutor(), mcpRule(at(server), "greets")))).toMatchObject({
        kind: "unavailable",
        value: status,
      });
      expect(whats(server).filter((what) => what === "POST tools/call").length).toBeLessThanOrEqual(2);
    },
  );

  test("that redirects is not followed", async () => {
    const other = await serve();
    const server = await serve({
      instead: (_, response) => {
        response.writeHead(307, { location: other.url }).end();
        return true;
      },
    });
    expect(failureOf(await run(newExecutor(), mcpRule(at(server), "greets")))?.message).toContain("307");
    expect(other.requests).toEqual([]);
  });

  test.each(["POST initialize", "POST tools/call"])(
    "that never answers %s costs no more than its deadline",
    async (hung) => {
      const server = await serve({ instead: (what) => what === hung });
      const executor = newExecutor();
      const calling = start(executor, mcpRule(at(server), "greets"));
      await until(() => whats(server).includes(hung));
      calling.stop.abort(late);
      expect(failureOf(await calling.result)).toBe(late);
      await executor.close();
      await until(() => server.openSockets() === 0);
      expect(server.openSockets()).toBe(0);
    },
  );

  test("that does not answer in time fails by the limit", async () => {
    const server = await serve({ instead: () => true });
    const [problem] = await newExecutor({ connectMs: 50 }).prepare(mcpRule(at(server), "greets"));
    expect(problem?.message).toContain("did not finish its handshake within 50 ms");
  });

  test.each([
    ["a page for people", "text/html", "<h1>hello</h1>", "invalid-output"],
    ["half of a document", "application/json", "{", "unavailable"],
    ["a stream of something else", "text/event-stream", "data: nothing\n\n", "unavailable"],
    ["an empty stream", "text/event-stream", "", "unavailable"],
  ])("that answers with %s fails", async (_, type, body, kind) => {
    const server = await serve({
      instead: (what, response) => {
        if (what === "POST tools/call") response.writeHead(200, { "content-type": type }).end(body);
        return what === "POST tools/call";
      },
    });
    expect(failureOf(await run(newExecutor(), mcpRule(at(server), "greets")))).toMatchObject({ kind });
  });

  test("whose answer breaks off fails", async () => {
    const server = await serve({
      instead: (what, response) => {
        if (what !== "POST tools/call") return false;
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: {\n");
        response.destroy();
        return true;
      },
    });
    expect(failureOf(await run(newExecutor(), mcpRule(at(server), "greets")))).toMatchObject({ kind: "unavailable" });
  });

  test("that sends requests in its answer gets a few errors, not thousands", async () => {
    const server = await serve({
      instead: (what, response) => {
        if (what === "POST tools/call") {
          const question = (n: number) => `data: {"jsonrpc":"2.0","id":"q${n}","method":"roots/list"}\n\n`;
          const call = whats(server).filter((one) => one === what).length;
          const questions = call === 1 ? Array.from({ length: 500 }, (_, n) => question(n)).join("") : "";
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(`${questions}data: {"jsonrpc":"2.0","id":${call},"result":{"content":[]}}\n\n`);
        }
        // The server that sends requests does not read their answers either.
        return what === "POST tools/call" || what === "POST";
      },
    });
    const executor = newExecutor();
    const answers = (): number => whats(server).filter((what) => what === "POST").length;
    expect(await run(executor, mcpRule(at(server), "greets"))).toMatchObject({ ok: true });
    await until(() => answers() >= 4);
    // Connections that were opened before the next call's connection already exist when it does.
    expect(await run(executor, mcpRule(at(server), "greets"))).toMatchObject({ ok: true });
    expect(answers()).toBe(4);
  });

  test("without a listening server fails by name", async () => {
    const server = await serve();
    await server.close();
    const failure = failureOf(await run(newExecutor(), mcpRule(at(server), "greets")));
    expect(failure).toMatchObject({ kind: "unavailable", message: expect.stringContaining("ECONNREFUSED") });
  });

  test("at an address that the rule may not use is not asked", async () => {
    const server = await serve();
    const found = { ...at(server), network: "public" } as McpServer;
    const failure = failureOf(await run(newExecutor(), mcpRule(found, "greets")));
    expect(failure).toMatchObject({ kind: "capability", message: expect.stringContaining("127.0.0.1") });
    expect(server.requests).toEqual([]);
  });

  test.each(["nonsense", "ftp://example.org/"])("that is %s is no address", async (url) => {
    expect(failureOf(await run(newExecutor(), mcpRule(at({ url }), "greets")))?.message).toMatch(/URL/);
    const [problem] = await newExecutor().prepare(mcpRule(at({ url }), "greets"));
    expect(problem).toMatchObject({ code: "HOOK_MCP_SERVER" });
  });
});
