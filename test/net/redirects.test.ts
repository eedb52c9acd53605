import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post, resolving, summary } from "./posting.ts";
import { httpServer, type TestServer } from "./servers.ts";
import { openTrap, type Trap } from "./traps.ts";

let trap: Trap;
let first: TestServer;
let second: TestServer;
/** The first server redirects to the URL after the status: `/307/http://…`. */
beforeAll(async () => {
  trap = await openTrap();
  first = await httpServer((response, { url = "" }) => {
    const [, status, location = ""] = /^\/(\d+)\/(.*)$/.exec(url) ?? [];
    response
      .writeHead(Number(status ?? 200), location === "" ? {} : { location: decodeURIComponent(location) })
      .end("{}");
  });
  second = await httpServer((response) => response.end('{"second":true}'));
});
afterAll(() => Promise.all([trap.close(), first.close(), second.close()]));

const sentTo = (status: number, location: string): string =>
  `${first.origin}/${status}/${encodeURIComponent(location)}`;

describe("a redirect", () => {
  test.each([307, 308])("with status %i is followed, with method and body", async (status) => {
    const result = await post(sentTo(status, `${second.origin}/x?y`), { body: '{"a":1}' });
    expect(result.ok && result.answer.body.toString()).toBe('{"second":true}');
    expect(second.requests.at(-1)).toMatchObject({ method: "POST", url: "/x?y", body: '{"a":1}' });
  });

  test("may be relative to where it comes from", async () => {
    expect(summary(await post(sentTo(307, "/200/")))).toBe("200");
    expect(first.requests.at(-1)).toMatchObject({ method: "POST", url: "/200/", body: '{"event":1}' });
  });

  test.each([301, 302, 303])("with status %i would lose the event, and is a failure", async (status) => {
    trap.caught();
    expect(summary(await post(sentTo(status, `http://127.0.0.1:${trap.port}/`)))).toBe(
      `unavailable: 127.0.0.1:${first.port} answered with status ${status}, a redirect that drops the event; use 307 or 308`,
    );
    expect(trap.caught()).toBe(0);
  });

  test("without a target is a failure", async () => {
    expect(summary(await post(`${first.origin}/307/`))).toMatch(/^unavailable: .* a redirect without a location$/);
  });

  test.each([300, 304, 305, 306])("with another status is an answer like any other: %i", async (status) => {
    expect(summary(await post(`${first.origin}/${status}/`))).toBe(String(status));
  });

  test("is followed three times, and not a fourth", async () => {
    const chain = (length: number): string => (length === 0 ? `${second.origin}/` : sentTo(307, chain(length - 1)));
    expect(summary(await post(chain(3)))).toBe("200");
    expect(summary(await post(chain(4)))).toBe(
      `unavailable: 127.0.0.1:${first.port} redirects once more after 3 redirects`,
    );
  });

  test("loses the rule's headers permanently if the origin changes", async () => {
    const headers = { authorization: "Bearer secret", "x-key": "secret" };
    await post(sentTo(307, `${first.origin}/200/`), { headers });
    expect(first.requests.at(-1)?.headers).toMatchObject(headers);
    await post(sentTo(307, `${second.origin}/`), { headers });
    expect(JSON.stringify(second.requests.at(-1))).not.toContain("secret");
    const back = await httpServer((response) => response.writeHead(307, { location: `${first.origin}/200/` }).end());
    await post(sentTo(307, `${back.origin}/`), { headers });
    expect(JSON.stringify(first.requests.at(-1))).not.toContain("secret");
    await back.close();
  });
});

describe("a redirect from a server on this machine", () => {
  test.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://2852039166/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://0.0.0.0:PORT/",
    "http://[::]:PORT/",
    "//0:PORT/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/",
    "ftp://127.0.0.1:PORT/",
    "data:application/json,{}",
    "javascript:0",
    "http://user:pass@127.0.0.1:PORT/",
    "http://[::1",
    "http://127.0.0.1:PORT/ x",
  ])("is not followed to %s", async (location) => {
    trap.caught();
    const result = await post(sentTo(307, location.replace("PORT", String(trap.port))));
    expect(summary(result)).toMatch(/^capability: 127\.0\.0\.1:\d+ redirects: /);
    expect(trap.caught()).toBe(0);
  });

  test("is not followed to a URL that is not listed", async () => {
    const allowedUrls = [`${first.origin}/*`];
    const result = await post(sentTo(308, `http://127.0.0.1:${trap.port}/x?secret`), { allowedUrls });
    expect(summary(result)).toBe(
      `capability: 127.0.0.1:${first.port} redirects: allowedHttpHookUrls does not list http://127.0.0.1:${trap.port}/x`,
    );
    expect(trap.caught()).toBe(0);
  });

  test("is followed to a name only after the name was checked", async () => {
    trap.caught();
    const resolve = resolving("127.0.0.1", "10.0.0.1");
    const result = await post(sentTo(307, `http://inside.test:${trap.port}/`), { resolve });
    expect(summary(result)).toMatch(/^capability: inside\.test leads to 10\.0\.0\.1: /);
    expect(trap.caught()).toBe(0);
  });
});

describe("a redirect from a server on the internet", () => {
  // No test may send there, so each new connection reports that address.
  const pretend = (message: unknown): void => {
    Object.defineProperty((message as { socket: Socket }).socket, "remoteAddress", { value: "8.8.8.8" });
  };
  beforeAll(() => subscribe("net.client.socket", pretend));
  afterAll(() => void unsubscribe("net.client.socket", pretend));

  test("is not followed to this machine, although the rule itself may send to it", async () => {
    trap.caught();
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const result = await post(sentTo(307, `http://${host}:${trap.port}/`));
      expect(summary(result)).toMatch(/^capability: .* redirects: .*this rule may only send to the public internet$/);
    }
    const result = await post(sentTo(307, `http://inside.test:${trap.port}/`), { resolve: resolving("127.0.0.1") });
    expect(summary(result)).toMatch(/^capability: inside\.test leads to 127\.0\.0\.1: /);
    expect(trap.caught()).toBe(0);
  });
});
