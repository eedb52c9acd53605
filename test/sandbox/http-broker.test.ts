import { expect, onTestFinished, test } from "vitest";
import type { HostsGrant } from "../../src/grants.ts";
import type { ResolvedAddress, Resolver } from "../../src/net/dns-lookup.ts";
import { HttpBroker } from "../../src/sandbox/grants/http-broker.ts";
import type { HttpAsk, HttpReply } from "../../src/sandbox/guest/capabilities/capability.ts";
import { Stop } from "../../src/stop-signal.ts";
import { hostsGrant } from "../executors/wasm/fetching-guest.ts";
import { httpServer, rawServer, until } from "../net/servers.ts";
import { openTrap } from "../net/traps.ts";

/** The engine's side alone: tests that need a name server of their own. */

const leadingTo =
  (...addresses: readonly string[]): Resolver =>
  async () =>
    addresses.map((address): ResolvedAddress => ({ address, family: address.includes(":") ? 6 : 4 }));

function brokerWith(resolve?: Resolver): HttpBroker {
  const broker = new HttpBroker(resolve === undefined ? {} : { resolve });
  onTestFinished(() => broker.close());
  return broker;
}

const asking = (url: string, parts: Partial<HttpAsk> = {}): HttpAsk => ({
  method: "GET",
  url,
  headers: {},
  body: undefined,
  ...parts,
});

async function send(broker: HttpBroker, ask: HttpAsk, grant: Partial<HostsGrant>): Promise<HttpReply> {
  return broker.serve(hostsGrant(grant), new Stop()).serve(ask);
}

test.each(["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"])(
  "a granted name that resolves to %s is refused if only the internet is granted",
  async (address) => {
    const trap = await openTrap();
    onTestFinished(() => trap.close());
    const url = `http://api.example.com:${trap.port}/`;
    const grant = { allow: [`http://*.example.com:${trap.port}`], network: "public" } as const;
    for (const addresses of [[address], ["93.184.216.34", address]]) {
      const reply = await send(brokerWith(leadingTo(...addresses)), asking(url), grant);
      expect(reply).toMatchObject({ kind: "refused", failure: { kind: "capability" } });
      expect(JSON.stringify(reply)).toContain(address);
    }
    expect(trap.caught()).toBe(0);
  },
);

test("no rule may send to the addresses where clouds keep their keys", async () => {
  const grant = { allow: ["http://169.254.169.254", "http://meta.example.com"] };
  const broker = brokerWith(leadingTo("169.254.169.254"));
  for (const url of ["http://169.254.169.254/", "http://meta.example.com/"])
    expect(await send(broker, asking(url), grant)).toMatchObject({ kind: "refused" });
});

test("a name is resolved once, and the checked address is the one that is used", async () => {
  const server = await httpServer((response) => response.end("here"));
  onTestFinished(() => server.close());
  let asked = 0;
  const broker = brokerWith(async () => {
    asked += 1;
    return [{ address: asked === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
  });
  const url = `http://rebinding.example.com:${server.port}/`;
  const reply = await send(broker, asking(url), { allow: [new URL(url).origin] });
  expect(reply).toMatchObject({ kind: "answered", status: 200 });
  expect(asked).toBe(1);
});

test("a secret is sent to a name over http: only if it is this machine", async () => {
  const url = "http://intranet.example.com/";
  const grant = { allow: ["http://intranet.example.com"] };
  const reply = await send(brokerWith(leadingTo("10.0.0.1")), asking(url, { headers: { cookie: "a=b" } }), grant);
  expect(reply).toMatchObject({ kind: "refused", failure: { message: expect.stringContaining("unencrypted") } });
});

test("what the guest's side would have refused is refused again", async () => {
  const server = await httpServer((response) => response.end("here"));
  onTestFinished(() => server.close());
  const grant = { allow: [server.origin] };
  const broker = brokerWith();
  const bad: readonly Partial<HttpAsk>[] = [
    { method: "CONNECT" },
    { method: "GET / HTTP/1.1\r\nx: y" },
    { headers: { host: "evil.example" } },
    { headers: { "transfer-encoding": "chunked" } },
    { headers: { "x y": "z" } },
    { headers: { x: "y\r\nz: a" } },
    { headers: { x: "\u2713" } },
    { body: new Uint8Array(262_145) },
  ];
  for (const parts of bad)
    expect(await send(broker, asking(server.origin, parts), grant)).toMatchObject({ kind: "refused" });
  expect(server.connections().made).toBe(0);
});

test("two grants never share a connection, nor do two networks of one grant", async () => {
  const server = await httpServer((response) => response.end("here"));
  onTestFinished(() => server.close());
  const broker = brokerWith();
  const grants = [hostsGrant({ allow: [server.origin] }), hostsGrant({ allow: [server.origin] })];
  for (const grant of [...grants, ...grants]) await broker.serve(grant, new Stop()).serve(asking(server.origin));
  expect(server.requests).toHaveLength(4);
  expect(server.connections().made).toBe(2);
});

test("a request that changes something is sent once, on a new connection", async () => {
  // Answers the first request of a connection, and closes the connection at the second.
  const sent: string[] = [];
  const server = await rawServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    socket.on("data", (data: Buffer) => {
      sent.push(data.toString().split(" ")[0] ?? "");
      socket.destroy();
    });
  });
  onTestFinished(() => server.close());
  const broker = brokerWith();
  const grant = hostsGrant({ allow: [server.origin] });
  const call = broker.serve(grant, new Stop());
  await call.serve(asking(server.origin));
  const reply = await call.serve(asking(server.origin, { method: "POST", body: new TextEncoder().encode("{}") }));
  expect(reply.kind).toBe("answered");
  expect(sent).toEqual([]);
  // A GET may find its kept connection closed; it is sent once more, and the server sees both.
  expect((await call.serve(asking(server.origin))).kind).toBe("answered");
  expect(sent).toEqual(["GET"]);
  expect(call.sent).toBe(4);
});

test("an answer's bytes have a separate buffer", async () => {
  const server = await httpServer((response) => response.end("here"));
  onTestFinished(() => server.close());
  const reply = await send(brokerWith(), asking(server.origin), { allow: [server.origin] });
  expect(reply.kind === "answered" && reply.body.buffer.byteLength).toBe(4);
});

test("a closed broker has ended every request and connection", async () => {
  const slow = await httpServer(() => {});
  const quick = await httpServer((response) => response.end("here"));
  onTestFinished(async () => void (await Promise.all([slow.close(), quick.close()])));
  const broker = new HttpBroker();
  const grant = hostsGrant({ allow: [slow.origin, quick.origin] });
  await broker.serve(grant, new Stop()).serve(asking(quick.origin));
  const waiting = broker.serve(grant, new Stop()).serve(asking(slow.origin));
  await until(() => slow.requests.length === 1);
  await broker.close();
  expect(await waiting).toMatchObject({ kind: "failed" });
  await until(() => slow.connections().open === 0 && quick.connections().open === 0);
  expect(() => broker.serve(grant, new Stop())).toThrow("closed");
});

test("names that are never resolved delay the guard that asks for them, until its deadline, and no other", async () => {
  const server = await httpServer((response) => response.end("here"));
  onTestFinished(() => server.close());
  const asked: string[] = [];
  let answerAll = (): void => undefined;
  const nobodyAnswers = new Promise<readonly ResolvedAddress[]>((resolve) => {
    answerAll = () => resolve([{ address: "127.0.0.1", family: 4 }]);
  });
  const broker = brokerWith(async (host) => {
    asked.push(host);
    return host.startsWith("slow") ? nobodyAnswers : [{ address: "127.0.0.1", family: 4 }];
  });
  const slow = hostsGrant({ allow: [`http://*.example.com:${server.port}`] });
  const stop = new Stop();
  const held = ["slow1", "slow2", "slow3"].map((name) =>
    broker.serve(slow, stop).serve(asking(`http://${name}.example.com:${server.port}/`)),
  );
  await until(() => asked.length > 0);
  const url = `http://quick.example.com:${server.port}/`;
  expect(await send(broker, asking(url), { allow: [new URL(url).origin] })).toMatchObject({ kind: "answered" });
  expect(asked).toEqual(["slow1.example.com", "quick.example.com"]);
  stop.abort({ kind: "timeout", message: "no answer within 10 ms" });
  for (const reply of await Promise.all(held))
    expect(reply).toEqual({ kind: "failed", message: "no answer within 10 ms" });
  answerAll();
  expect(await send(broker, asking(url), { allow: [new URL(url).origin] })).toMatchObject({ kind: "answered" });
  // Lookups that were only queued at that time are never made.
  expect(asked.filter((host) => host.startsWith("slow"))).toEqual(["slow1.example.com"]);
  expect(server.requests).toHaveLength(2);
});
