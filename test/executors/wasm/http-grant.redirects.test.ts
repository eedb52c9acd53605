import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpServer, type TestServer } from "../../net/servers.ts";
import { openTrap } from "../../net/traps.ts";
import { asks, fetchingRule, type Wanted } from "./fetching-guest.ts";
import { runToFailure, runToReply } from "./wasm-rule.ts";

/** Starts a server that redirects from the keys to the values, and answers all other requests. */
async function redirecting(
  ways: Readonly<Record<string, readonly [status: number, location: string]>>,
): Promise<TestServer> {
  const server = await httpServer((response: ServerResponse, { url = "" }) => {
    const way = ways[url];
    if (way === undefined) response.end(asks(`at ${url}`));
    else response.writeHead(way[0], { location: way[1] }).end("moved");
  });
  onTestFinished(() => server.close());
  return server;
}

describe("a redirect", () => {
  test("is followed up to three times, and each hop counts", async () => {
    const server = await redirecting({ "/a": [302, "/b"], "/b": [307, "c"], "/c": [301, "./d?x=1"] });
    const wanted = { url: `${server.origin}/a` };
    const { reply, receipt } = await runToReply(fetchingRule([wanted], { allow: [server.origin], maxCalls: 4 }));
    expect(reply.reason).toBe("at /d?x=1");
    expect(receipt.requests).toBe(4);
    const capped = await runToFailure(fetchingRule([wanted], { allow: [server.origin], maxCalls: 3 }));
    expect(capped).toMatchObject({ kind: "capability", limit: 3, value: 4, receipt: { requests: 3 } });
  });

  test("is one too many after three, as in a circle", async () => {
    const server = await redirecting({ "/a": [302, "/a"] });
    const failure = await runToFailure(fetchingRule([{ url: `${server.origin}/a` }], { allow: [server.origin] }));
    expect(failure).toMatchObject({ kind: "capability", limit: 3, value: 4, receipt: { requests: 4 } });
    expect(failure.message).toContain("redirects once more after 3 redirects");
  });

  test.each([
    "http://127.0.0.1:PORT/",
    "//127.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://[::1]:PORT/",
    "http://user:pass@localhost:PORT/",
    "http://localhost.:PORT/",
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data/",
    "\\\\127.0.0.1:PORT\\",
    "https://127.0.0.1:PORT/",
  ])("to %s, which the rule does not grant, fails the call before any connection", async (location) => {
    const trap = await openTrap();
    onTestFinished(() => trap.close());
    const server = await redirecting({ "/a": [302, location.replace("PORT", String(trap.port))] });
    const failure = await runToFailure(fetchingRule([{ url: `${server.origin}/a` }], { allow: [server.origin] }));
    expect(failure).toMatchObject({ kind: "capability", receipt: { requests: 1 } });
    expect(failure.message).toContain(`127.0.0.1:${server.port} redirects`);
    expect(trap.caught()).toBe(0);
  });

  test("without a target is an answer like any other", async () => {
    const server = await httpServer((response) => response.writeHead(302).end("moved"));
    onTestFinished(() => server.close());
    const { receipt } = await runToReply(fetchingRule([{ url: server.origin }], { allow: [server.origin] }));
    expect(receipt.log?.[0]).toBe("info: 302");
  });

  test.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "DELETE", "GET", ""],
    [303, "HEAD", "HEAD", ""],
    [301, "PUT", "PUT", "body"],
    [302, "GET", "GET", "body"],
    [307, "POST", "POST", "body"],
    [308, "PATCH", "PATCH", "body"],
  ] as const)("with status %i turns a %s into a %s", async (status, method, becomes, body) => {
    const server = await redirecting({ "/a": [status, "/b"] });
    const headers = { "content-type": "text/plain", accept: "x/y" };
    const wanted: Wanted = { url: `${server.origin}/a`, method, headers };
    await runToReply(fetchingRule([wanted], { allow: [server.origin], body: method === "HEAD" ? "" : "body" }));
    const [, second] = server.requests;
    expect(second).toMatchObject({ method: becomes, body, headers: { accept: "x/y" } });
    expect(second?.headers["content-type"]).toBe(becomes !== method ? undefined : "text/plain");
  });

  test("to another origin loses every header that could contain a key", async () => {
    const other = await redirecting({});
    const server = await redirecting({ "/a": [307, "/b"], "/b": [307, `${other.origin}/c`] });
    const headers = {
      authorization: "Bearer x",
      cookie: "x",
      "x-api-key": "x",
      "private-token": "x",
      accept: "a/b",
      "content-type": "text/plain",
    };
    const wanted: Wanted = { url: `${server.origin}/a`, method: "POST", headers };
    await runToReply(fetchingRule([wanted], { allow: [server.origin, other.origin], body: "{}" }));
    expect(server.requests[1]?.headers).toMatchObject(headers);
    const { headers: seen } = other.requests[0] ?? { headers: {} };
    expect(seen).toMatchObject({ accept: "a/b", "content-type": "text/plain", "user-agent": "hookbox" });
    expect(JSON.stringify(seen)).not.toMatch(/authorization|cookie|key|token/);
  });
});
