import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Resolver } from "../../src/net/dns-lookup.ts";
import { HttpClient } from "../../src/net/http-client.ts";
import { post, resolving, summary } from "./posting.ts";
import { httpServer, type TestServer } from "./servers.ts";
import { openTrap, type Trap } from "./traps.ts";

let trap: Trap;
let server: TestServer;
beforeAll(async () => {
  trap = await openTrap();
  server = await httpServer((response) => response.end("{}"), "127.0.0.1");
});
afterAll(() => Promise.all([trap.close(), server.close()]));

describe("a name", () => {
  test.each([
    ["one that is private", ["10.0.0.1"]],
    ["this machine", ["127.0.0.1"]],
    ["this machine by IPv6", ["::1"]],
    ["this machine in a mapped address", ["::ffff:127.0.0.1"]],
    ["metadata", ["169.254.169.254"]],
    ["this machine, last of several that are public,", ["93.184.216.34", "2606:4700::1111", "127.0.0.1"]],
    ["this machine, first of several,", ["127.0.0.1", "93.184.216.34"]],
    ["an address that has a zone", ["fe80::1%lo"]],
    ["something that is no address", ["localhost"]],
    ["the ninth, where only eight are tried,", [...Array<string>(8).fill("93.184.216.34"), "127.0.0.1"]],
  ])("GP69: is refused if any of its addresses is refused: %s", async (_, addresses) => {
    trap.caught();
    const result = await post(`http://hook.test:${trap.port}/`, {
      network: "public",
      resolve: resolving(...addresses),
    });
    expect(summary(result)).toMatch(/^capability: hook\.test leads to /);
    expect(trap.caught()).toBe(0);
  });

  test("that does not resolve is an ordinary failure", async () => {
    expect(summary(await post("http://hook.test/", { resolve: resolving() }))).toBe(
      "unavailable: hook.test has no address (ENOTFOUND)",
    );
    const failing: Resolver = () => Promise.reject(Object.assign(new Error("x"), { code: "EAI_AGAIN" }));
    expect(summary(await post("http://hook.test/", { resolve: failing }))).toBe(
      "unavailable: hook.test could not be looked up (EAI_AGAIN)",
    );
  });

  test("GP71: is resolved once, and the connection goes to the checked address", async () => {
    const asked: string[] = [];
    // The second answer is what a rebinding attacker gives after the check.
    const rebinding: Resolver = async (host) => {
      asked.push(host);
      return asked.length === 1 ? [{ address: "127.0.0.1", family: 4 }] : [{ address: "::1", family: 6 }];
    };
    trap.caught();
    const result = await post(`http://rebind.test:${server.port}/`, { resolve: rebinding });
    expect(summary(result)).toBe("200");
    expect(result.ok && result.answer.remoteAddress).toBe("127.0.0.1");
    expect(asked).toEqual(["rebind.test"]);
  });

  test("is checked again for each new connection", async () => {
    const answers = ["93.184.216.34", "127.0.0.1", "10.0.0.1"];
    const client = new HttpClient({ resolve: async () => [{ address: answers.shift() ?? "::", family: 4 }] });
    const closing = await httpServer((response) => response.writeHead(200, { connection: "close" }).end("{}"));
    answers.shift();
    expect(summary(await post(`http://rebind.test:${closing.port}/`, { client }))).toBe("200");
    expect(summary(await post(`http://rebind.test:${closing.port}/`, { client }))).toMatch(
      /^capability: .* private address/,
    );
    await client.close();
    await closing.close();
  });

  test("does not get a connection that a rule with a wider network has opened", async () => {
    const client = new HttpClient({ resolve: resolving("127.0.0.1") });
    const url = `http://shared.test:${server.port}/`;
    expect(summary(await post(url, { client, network: "loopback" }))).toBe("200");
    expect(summary(await post(url, { client, network: "public" }))).toMatch(/^capability: /);
    await client.close();
  });

  test("that the resolver never answers costs no more than the deadline", async () => {
    const never: Resolver = () => new Promise(() => undefined);
    expect(summary(await post("http://slow.test/", { resolve: never, timeoutMs: 30 }))).toBe("timeout: too late");
  });

  test("is sent to the server in the Host header, which nothing else can set", async () => {
    await post(`http://Named.Test.:${server.port}/a?b`, { resolve: resolving("127.0.0.1"), body: '{"x":"é"}' });
    const seen = server.requests.at(-1);
    expect(seen).toMatchObject({ method: "POST", url: "/a?b", body: '{"x":"é"}' });
    expect(seen?.headers).toMatchObject({
      host: `named.test:${server.port}`,
      "content-type": "application/json",
      "content-length": "10",
      "accept-encoding": "identity",
    });
  });
});

describe("a proxy", () => {
  test("GP70: that the environment names is not used", async () => {
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    const before = { ...process.env };
    for (const name of names) process.env[name] = `http://127.0.0.1:${trap.port}`;
    process.env["NODE_USE_ENV_PROXY"] = "1";
    try {
      trap.caught();
      expect(summary(await post(`${server.origin}/`))).toBe("200");
      expect(summary(await post("http://hook.test/", { network: "public", resolve: resolving("10.0.0.1") }))).toMatch(
        /^capability/,
      );
      expect(trap.caught()).toBe(0);
    } finally {
      for (const name of [...names, "NODE_USE_ENV_PROXY"]) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});
