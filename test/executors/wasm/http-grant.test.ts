import { describe, expect, onTestFinished, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Rule } from "../../../src/rule.ts";
import { type Answering, httpServer, rawServer, type TestServer } from "../../net/servers.ts";
import { openTrap } from "../../net/traps.ts";
import { asks, fetching, fetchingRule } from "./fetching-guest.ts";
import { openExecutor, run, runToFailure, runToReply, toolEvent, wasmRule } from "./wasm-rule.ts";

async function serving(answer: Answering): Promise<TestServer> {
  const server = await httpServer(answer);
  onTestFinished(() => server.close());
  return server;
}

const asking = (reason: string) => serving((response) => response.setHeader("x-One", "1").end(asks(reason)));

describe("a guard with a grant of hosts", () => {
  test("gets status, headers and body", async () => {
    const server = await asking("not before noon");
    const rule = fetchingRule([{ url: `${server.origin}/judge?a=b` }], { allow: [server.origin] });
    const { reply, receipt } = await runToReply(rule);
    expect(reply).toMatchObject({ decision: "ask", reason: "not before noon" });
    expect(receipt).toMatchObject({ requests: 1, deterministic: false, grants: [`hosts: ${server.origin}`] });
    const [status, headers = ""] = receipt.log ?? [];
    expect(status).toBe("info: 200");
    expect(JSON.parse(headers.replace("info: ", ""))).toMatchObject({ "x-one": "1" });
    expect(server.requests).toMatchObject([{ method: "GET", url: "/judge?a=b" }]);
  });

  test("sends a method, headers and a body, and adds only the user agent and the length", async () => {
    const server = await asking("no");
    const headers = { "Content-Type": "text/plain", Authorization: "Bearer x" };
    const body = 'caf\u00e9 "x"';
    await runToReply(fetchingRule([{ url: server.origin, method: "post", headers }], { allow: [server.origin], body }));
    expect(server.requests).toMatchObject([{ method: "POST", body }]);
    expect(server.requests[0]?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: "close",
      "user-agent": "hookbox",
      "content-type": "text/plain",
      authorization: "Bearer x",
      "content-length": "9",
      "accept-encoding": "identity",
    });
  });

  test("makes several requests, and reuses a connection for those that change nothing", async () => {
    const server = await asking("no");
    const rule = fetchingRule(
      [{ url: server.origin }, { url: `${server.origin}/2` }, { url: `${server.origin}/3`, method: "DELETE" }],
      { allow: [server.origin] },
    );
    const { receipt } = await runToReply(rule);
    expect(receipt.requests).toBe(3);
    expect(server.connections().made).toBe(2);
  });

  test("goes on if no server answers, with no status and no headers", async () => {
    const closed = await httpServer(() => {});
    await closed.close();
    const { reply, receipt } = await runToReply(fetchingRule([{ url: closed.origin }], { allow: [closed.origin] }));
    expect(reply.decision).toBeUndefined();
    expect(receipt.log).toEqual(["info: 000"]);
  });

  test.each([
    ["speaks no HTTP", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["ends in the middle", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}"],
    ["packs its answer", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"],
    ["closes without a word", ""],
    ["wants another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
  ])("gets nothing from a server that %s", async (_, text) => {
    const server = await rawServer((socket) => socket.end(text));
    onTestFinished(() => server.close());
    const { receipt } = await runToReply(fetchingRule([{ url: server.origin }], { allow: [server.origin] }));
    expect(receipt.log).toEqual(["info: 000"]);
  });

  test("gets the headers of an answer without a body", async () => {
    const server = await serving((response) => response.writeHead(204, { a: "b" }).end());
    const { receipt } = await runToReply(fetchingRule([{ url: server.origin }], { allow: [server.origin] }));
    expect(receipt.log?.[0]).toBe("info: 204");
    expect(receipt.log?.[1]).toContain('"a":"b"');
  });

  test("gets the length of a body that a HEAD does not transfer, whatever the limit is", async () => {
    const server = await serving((response) => response.writeHead(200, { "content-length": "99999999" }).end());
    const wanted = { url: server.origin, method: "HEAD" };
    const { receipt } = await runToReply(fetchingRule([wanted], { allow: [server.origin], responseBytes: 10 }));
    expect(receipt.log?.[1]).toContain('"content-length":"99999999"');
  });

  test("asks in a thread that may wait, although others are tried in the caller's thread first", async () => {
    const server = await asking("from a thread");
    const executor = new WasmExecutor({ threads: 1, triesHereFirst: true });
    onTestFinished(() => executor.close());
    const { reply } = await runToReply(fetchingRule([{ url: server.origin }], { allow: [server.origin] }), {
      executor,
    });
    expect(reply.reason).toBe("from a thread");
  });

  test("has its requests in the receipt even if its call fails afterwards", async () => {
    const server = await asking("no");
    const rule = fetchingRule([{ url: server.origin, method: "POST" }], {
      allow: [server.origin],
      module: fetching("traps"),
    });
    const failure = await runToFailure(rule);
    expect(failure).toMatchObject({ kind: "trap", receipt: { requests: 1, deterministic: false } });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a request outside of the grant", () => {
  async function refusal(url: string, parts: Parameters<typeof fetchingRule>[1]): Promise<unknown> {
    const { kind, message, limit, value } = await runToFailure(fetchingRule([{ url }], parts));
    return { kind, message, ...(limit === undefined ? {} : { limit, value }) };
  }

  test("fails the call, by name, before any connection", async () => {
    const trap = await openTrap();
    onTestFinished(() => trap.close());
    const allow = ["https://api.example.com"];
    expect(await refusal(`http://127.0.0.1:${trap.port}/`, { allow })).toEqual({
      kind: "capability",
      message: `http_request: the rule grants only https://api.example.com, not http://127.0.0.1:${trap.port}`,
    });
    expect(trap.caught()).toBe(0);
  });

  test.each([
    "http://127.0.0.1",
    "http://localhost",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
    "http://0.0.0.0",
    "http://2130706433",
    "http://0x7f.1",
    "http://127.1",
    "http://127.0.0.1.",
    "http://10.0.0.1",
    "http://169.254.169.254",
    "http://[fe80::1]",
    "http://100.64.0.1",
    "http://[64:ff9b::7f00:1]",
    "http://[2002:7f00:1::]",
  ])("is %s if only the internet is granted, whatever the list of hosts is", async (origin) => {
    const trap = await openTrap();
    onTestFinished(() => trap.close());
    const url = `${origin}:${trap.port}`;
    expect(await refusal(url, { allow: [url, "*.localhost"], network: "public" })).toMatchObject({
      kind: "capability",
    });
    expect(trap.caught()).toBe(0);
  });

  test("is one request over the limit", async () => {
    const server = await asking("no");
    const url = server.origin;
    const rule = fetchingRule([{ url }, { url }, { url }], { allow: [url], maxCalls: 2 });
    expect(await runToFailure(rule)).toMatchObject({
      kind: "capability",
      message: "http_request: more than 2 requests in one call, redirects included",
      limit: 2,
      value: 3,
      receipt: { requests: 2 },
    });
    expect(server.requests).toHaveLength(2);
  });

  test("is one byte over the limit for all answers together", async () => {
    const server = await serving((response) => response.end("x".repeat(600)));
    const url = server.origin;
    const parts = { allow: [url], responseBytes: 1_199 };
    expect(await runToFailure(fetchingRule([{ url }, { url }], parts))).toMatchObject({
      kind: "output-too-large",
      limit: 1_199,
      value: 1_200,
    });
    const fits = await run(fetchingRule([{ url }, { url }], { ...parts, responseBytes: 1_200 }));
    expect(!fits.ok && fits.failure.kind).toBe("invalid-output");
  });

  test.each([
    ["never ends", "HTTP/1.1 200 OK\r\n\r\n"],
    ["announces too much", "HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n"],
    ["comes in chunks without end", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["begins with headers without end", "HTTP/1.1 200 OK\r\nx: "],
  ])("is an answer that %s", async (_, head) => {
    const server = await rawServer((socket) => {
      socket.write(head);
      const more = head.includes("chunked") ? `4000\r\n${"x".repeat(0x4000)}\r\n` : "x".repeat(0x4000);
      const timer = setInterval(() => socket.write(more), 1);
      socket.on("close", () => clearInterval(timer));
    });
    onTestFinished(() => server.close());
    const failure = await runToFailure(fetchingRule([{ url: server.origin }], { allow: [server.origin] }));
    expect(failure.kind).toBe("output-too-large");
    expect(failure.limit).toBeGreaterThan(0);
  });

  test("is a secret in clear text to another machine", async () => {
    const wanted = { url: "http://10.1.2.3/", headers: { authorization: "Bearer x" } };
    const failure = await runToFailure(fetchingRule([wanted], { allow: ["http://10.1.2.3"] }));
    expect(failure).toMatchObject({ kind: "capability", receipt: { requests: 0 } });
    expect(failure.message).toContain("unencrypted");
  });
});

describe("a guard in a fixture", () => {
  const given = {
    http: [
      { url: "https://api.example.com/v1", status: 200, headers: { "X-A": "1" }, body: asks("as given") },
      { url: "https://api.example.com/v1", method: "post", status: 500 },
    ],
  };
  const tried = async (wanted: Parameters<typeof fetchingRule>[0], parts: Parameters<typeof fetchingRule>[1] = {}) => {
    const executor = openExecutor();
    const options = { signal: new AbortController().signal, timeLeftMs: 5_000, given };
    return executor.run(fetchingRule(wanted, parts), toolEvent(), options);
  };

  test("has the network of the fixture, and no other", async () => {
    const trap = await openTrap();
    onTestFinished(() => trap.close());
    const url = `http://127.0.0.1:${trap.port}/`;
    const result = await tried(
      [{ url }, { url: "https://api.example.com/v1", method: "POST" }, { url: "https://API.example.com:443/v1" }],
      { allow: [`http://127.0.0.1:${trap.port}`] },
    );
    expect(result).toMatchObject({ ok: true, reply: { reason: "as given" } });
    expect(result.receipt.log).toEqual(["info: 000", "info: 500", "info: {}", "info: 200", 'info: {"x-a":"1"}']);
    expect(result.receipt.requests).toBeUndefined();
    expect(trap.caught()).toBe(0);
  });

  test("is held to the limits of its rule's grant", async () => {
    const url = "https://api.example.com/v1";
    expect(await tried([{ url }, { url }], { maxCalls: 1 })).toMatchObject({
      ok: false,
      failure: { kind: "capability", limit: 1, value: 2 },
    });
    expect(await tried([{ url }], { responseBytes: 5 })).toMatchObject({
      ok: false,
      failure: { kind: "output-too-large", limit: 5 },
    });
  });
});

test("a module that imports HTTP does not load without the grant, and its engine's placeholder refuses", async () => {
  const trap = await openTrap();
  onTestFinished(() => trap.close());
  const config = { 0: JSON.stringify({ url: `http://127.0.0.1:${trap.port}/` }) };
  const without = (module: Uint8Array): Rule => wasmRule(module, { handler: { config } });
  expect(await runToFailure(without(fetching()))).toMatchObject({ code: "HOOK_MODULE_IMPORT" });
  expect(await runToFailure(without(fetching("answers", "hookbox:host/absent")))).toMatchObject({
    kind: "capability",
    message: "called http_request, but its manifest does not want that capability",
  });
  expect(trap.caught()).toBe(0);
});
