import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/json.ts";
import type { RunResult } from "../../../src/outcome.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { type Asked, builtinRule, call, failureOf, openExecutor, replyOf } from "./builtin-kit.ts";

interface Heard {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Starts a real server that records its requests. Default answer: yes. */
async function startServer(answer: (response: ServerResponse, n: number) => void = (response) => response.end()) {
  const heard: Heard[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      heard.push({ method, url, type: headers["content-type"], body: Buffer.concat(chunks).toString() });
      answer(response, heard.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sockets = (): Promise<number> =>
    new Promise((resolve, reject) =>
      server.getConnections((error, n) => (error === null ? resolve(n) : reject(error))),
    );
  return { url: `http://127.0.0.1:${port}`, port, heard, sockets };
}

describe("http_post", () => {
  const ask = (url: string, body: string, asked?: Asked, network: "public" | "loopback" = "loopback") =>
    call(
      builtinRule("http_post", [url, body], { event: "Stop", handler: { network } }),
      makeEvent("Stop", { session_id: "s" }),
      asked,
    );

  test("posts the text unchanged", async () => {
    const { url, heard } = await startServer();
    const body = '{"text":"{{ .Cwd }} done"}';
    expect(replyOf(await ask(`${url}/hook?a=1`, body))).toEqual({});
    expect(heard).toEqual([{ method: "POST", url: "/hook?a=1", type: "application/json", body }]);
  });

  test("goes on without an answer, and notes why", async () => {
    const { url } = await startServer((response) => response.writeHead(500).end("no"));
    expect(await ask(url, "{}")).toMatchObject({ ok: true, receipt: { log: ["answered with status 500"] } });
    const gone = await startServer((response) => response.destroy());
    expect(await ask(gone.url, "{}")).toMatchObject({ ok: true, receipt: { log: [expect.any(String)] } });
  });

  test.each([
    "ftp://example.org/",
    "file:///etc/passwd",
    "",
    "no url",
    "http://user:secret@example.org/",
    "http://127.0.0.1/",
    "http://169.254.169.254/latest",
    "http://[::1]/",
    "http://10.0.0.1/",
  ])("rejects the address %j", async (url) => {
    const executor = openExecutor();
    const rule = builtinRule("http_post", [url, "{}"], { event: "Stop" });
    const [problem] = await executor.prepare(rule);
    expect(problem).toMatchObject({ code: "HOOK_BUILTIN", severity: "error" });
    expect(problem?.message).not.toContain("secret");
    expect(failureOf(await call(rule, makeEvent("Stop"), { executor }))).toMatchObject({ kind: "capability" });
  });

  test("does not follow a redirect to a forbidden address", async () => {
    const { url, heard } = await startServer((response) =>
      response.writeHead(307, { location: "http://10.0.0.1/" }).end(),
    );
    expect(failureOf(await ask(url, "{}"))).toMatchObject({ kind: "capability" });
    expect(heard).toHaveLength(1);
  });

  test("ends with its call", async () => {
    const server = await startServer(() => {});
    const stop = new Stop();
    const running = ask(server.url, "{}", { stop });
    await expect.poll(() => server.heard.length).toBe(1);
    stop.abort({ kind: "timeout", message: "too late" });
    expect(failureOf(await running)).toEqual({ kind: "timeout", message: "too late" });
    await expect.poll(server.sockets).toBe(0);
  });

  test("ends with its engine", async () => {
    const server = await startServer(() => {});
    const executor = openExecutor();
    const running = ask(server.url, "{}", { executor });
    await expect.poll(() => server.heard.length).toBe(1);
    await executor.close();
    expect(failureOf(await running)).toMatchObject({ kind: "cancelled" });
    await expect.poll(server.sockets).toBe(0);
  });
});

describe("unload", () => {
  const ask = (models: JsonValue, fields: JsonObject = {}, asked?: Asked): Promise<RunResult> =>
    call(
      builtinRule("unload", [], { event: "AgentSwitch" }),
      makeEvent(
        "AgentSwitch",
        { from_agent: "a", to_agent: "b", from_agent_models: models, ...fields },
        "docker-agent",
      ),
      asked,
    );
  const local = (base: string, fields: JsonObject = {}): JsonObject => ({
    provider: "dmr",
    model: "ai/qwen",
    base_url: base,
    ...fields,
  });
  const notes = (result: RunResult): readonly string[] => {
    expect(replyOf(result)).toEqual({});
    return result.receipt.log ?? [];
  };

  test.each([
    ["/engines/llama.cpp/v1/", {}, "/engines/llama.cpp/_unload"],
    ["/engines/v1", {}, "/engines/_unload"],
    ["", {}, "/_unload"],
    ["/engines/v1", { unload_api: "/engines/_free" }, "/engines/_free"],
    ["/engines/v1", { unload_api: "free" }, "/free"],
    ["/v1?x=1#y", {}, "/_unload"],
  ])("for an engine at %j with %j asks %j", async (at, fields, path) => {
    const { url, heard } = await startServer();
    expect(notes(await ask([local(`${url}${at}`, fields)]))).toEqual([]);
    expect(heard).toEqual([{ method: "POST", url: path, type: "application/json", body: '{"model":"ai/qwen"}' }]);
  });

  test("accepts a whole address", async () => {
    const { url, heard } = await startServer();
    await ask([local("", { unload_api: `${url}/free` })]);
    expect(heard).toMatchObject([{ url: "/free" }]);
  });

  test("asks for each earlier model of the agent, even after a failure", async () => {
    const { url, heard } = await startServer((response, n) => response.writeHead(n === 1 ? 500 : 200).end());
    expect(notes(await ask([local(url, { model: "one" }), local(url, { model: "two" })]))).toEqual([
      "one: answered with status 500",
    ]);
    expect(heard.map(({ body }) => body)).toEqual(['{"model":"one"}', '{"model":"two"}']);
  });

  test("ignores models of other agents, and agents that stay", async () => {
    const { url, heard } = await startServer();
    await ask([local(url, { provider: "openai" }), local(url, { model: 5 }), local("", {}), 5, null, "x"]);
    await ask([local(url)], { to_agent: "a" });
    await ask([local(url)], { from_agent: "" });
    await ask("none");
    expect(heard).toEqual([]);
  });

  test.each([
    ["http://10.0.0.1/v1", /10\.0\.0\.1/],
    ["http://169.254.169.254/v1", /169\.254\.169\.254/],
    ["https://example.org/v1", /example\.org is not on this machine/],
    ["http://93.184.216.34/v1", /93\.184\.216\.34 is not on this machine/],
    ["http://localhost.example.org/v1", /is not on this machine/],
    ["ftp://127.0.0.1/v1", /must begin with http/],
    ["not an address", /no valid address/],
  ])("sends no request for %j", async (base, why) => {
    const [note = "", ...more] = notes(await ask([local(base)]));
    expect(note).toMatch(why);
    expect(more).toEqual([]);
  });

  test("does not follow a redirect to another engine", async () => {
    const other = await startServer();
    const { url } = await startServer((response) => response.writeHead(307, { location: other.url }).end());
    expect(notes(await ask([local(url)]))).toEqual([expect.stringContaining("redirects")]);
    expect(other.heard).toEqual([]);
  });

  test("ends with its call, and asks for no further model", async () => {
    const server = await startServer(() => {});
    const stop = new Stop();
    const running = ask([local(server.url), local(server.url)], {}, { stop });
    await expect.poll(() => server.heard.length).toBe(1);
    stop.abort({ kind: "cancelled", message: "enough" });
    expect(failureOf(await running)).toMatchObject({ kind: "cancelled" });
    await expect.poll(server.sockets).toBe(0);
    expect(server.heard).toHaveLength(1);
  });
});
