import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import { HttpBroker } from "../../../src/sandbox/grants/http-broker.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { wat } from "../../helpers/guests.ts";
import { Random } from "../../helpers/random.ts";
import { SEED } from "../../helpers/seed.ts";
import { httpServer, rawServer, type TestServer, until } from "../../net/servers.ts";
import { asks, fetching, fetchingRule, hostsGrant } from "./fetching-guest.ts";
import { deadline, run, runToReply, TIMEOUT, wasmRule } from "./wasm-rule.ts";

/** One thread, so that a call that was not ended properly blocks the next one. */
const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

async function opened(server: Promise<TestServer>): Promise<TestServer> {
  const open = await server;
  onTestFinished(() => open.close());
  return open;
}

const IDLE = wat(`(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (import "extism:host/env" "http_status_code" (func $status (result i32)))
  (import "extism:host/env" "http_headers" (func $headers (result i64)))
  (func (export "handle") (result i32) (local $block i64)
    (if (call $status) (then (unreachable)))
    (if (i64.ne (call $headers) (i64.const 0)) (then (unreachable)))
    (local.set $block (call $alloc (i64.const 2)))
    (call $store (local.get $block) (i32.const 123))
    (call $store (i64.add (local.get $block) (i64.const 1)) (i32.const 125))
    (call $output (local.get $block) (i64.const 2))
    (i32.const 0)))`);

/** Runs a guard that finds nothing of any earlier request: it has made none. */
async function expectNothingLeft(): Promise<void> {
  const rule = wasmRule(IDLE, { handler: { grants: { hosts: hostsGrant() } } });
  expect(await run(rule, { executor })).toMatchObject({ ok: true, receipt: { requests: 0 } });
}

describe("a call whose deadline passes", () => {
  test.each([
    ["for the connection to be secured", "https", ""],
    ["for the first byte", "http", ""],
    ["in the middle of the headers", "http", "HTTP/1.1 200 OK\r\nx: "],
    ["for the body", "http", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"],
    ["in the middle of the body", "http", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}"],
    ["behind interim answers", "http", "HTTP/1.1 102 Processing\r\n\r\n"],
  ])(
    "while it waits %s ends immediately, with its connection and without ending its thread",
    async (_, scheme, text) => {
      const server = await opened(rawServer((socket) => void (text !== "" && socket.write(text))));
      const origin = `${scheme}://127.0.0.1:${server.port}`;
      const rule = fetchingRule([{ url: origin }], { allow: [origin] });
      // More rounds than the number of lost threads that quarantine a rule.
      for (let round = 1; round <= 4; round += 1) {
        const { signal, pass } = deadline();
        const running = run(rule, { executor, signal });
        await until(() => server.connections().open === 1 && server.connections().made === round);
        await sleep(5);
        pass();
        expect(await running).toMatchObject({ ok: false, failure: TIMEOUT, receipt: { requests: 1 } });
        await until(() => server.connections().open === 0);
      }
      await expectNothingLeft();
    },
  );

  test("while a name is being looked up ends immediately", async () => {
    const broker = new HttpBroker({ resolve: () => new Promise(() => {}) });
    onTestFinished(() => broker.close());
    const stop = new Stop();
    const call = broker.serve(hostsGrant({ allow: ["https://api.example.com"] }), stop);
    const reply = call.serve({ method: "GET", url: "https://api.example.com/", headers: {}, body: undefined });
    await sleep(5);
    stop.abort(TIMEOUT);
    expect(await reply).toMatchObject({ kind: "failed" });
    expect(await call.serve({ method: "GET", url: "https://api.example.com/", headers: {}, body: undefined })).toEqual({
      kind: "failed",
      message: "the call has been stopped",
    });
    expect(call.sent).toBe(1);
  });

  test("does not send requests after a redirect", async () => {
    const server = await opened(
      httpServer((response, { url }) => {
        if (url === "/b") response.end("{}");
        else setTimeout(() => response.writeHead(307, { location: "/b" }).end(), 60);
      }),
    );
    const { signal, pass } = deadline();
    const running = run(fetchingRule([{ url: server.origin }], { allow: [server.origin] }), { executor, signal });
    await until(() => server.requests.length === 1);
    pass();
    expect(await running).toMatchObject({ ok: false, failure: TIMEOUT });
    await sleep(120);
    expect(server.requests).toHaveLength(1);
  });

  test("after it was answered costs its thread, like any call that computes on", async () => {
    const server = await opened(httpServer((response) => response.end("{}")));
    const rule = fetchingRule([{ url: server.origin }], { allow: [server.origin], module: fetching("loops") });
    const { signal, pass } = deadline();
    const running = run(rule, { executor, signal });
    await until(() => server.requests.length === 1);
    await sleep(20);
    pass();
    expect(await running).toMatchObject({ ok: false, failure: TIMEOUT, receipt: { requests: 1 } });
    await expectNothingLeft();
  });
});

test("calls that end at any time get their own answer or none", async () => {
  const random = new Random(SEED);
  const server = await opened(
    httpServer((response, { url }) => void setTimeout(() => response.end(asks(`for ${url}`)), random.below(5))),
  );
  let answered = 0;
  for (let round = 0; round < 60; round += 1) {
    const rule = fetchingRule([{ url: `${server.origin}/${round}` }], { allow: [server.origin], id: `round-${round}` });
    // Every other call finds a thread that has started.
    const { signal } = round % 2 === 0 ? deadline() : deadline(random.below(9));
    const result = await run(rule, { executor, signal });
    if (!result.ok) expect(result.failure).toEqual(TIMEOUT);
    else {
      answered += 1;
      expect(result.reply.reason).toBe(`for /${round}`);
    }
  }
  const last = fetchingRule([{ url: `${server.origin}/last` }], { allow: [server.origin] });
  expect((await runToReply(last, { executor })).reply.reason).toBe("for /last");
  expect(answered).toBeGreaterThanOrEqual(30);
  expect(answered).toBeLessThan(60);
  await expectNothingLeft();
});

test("an answer that arrives when its call is over reaches no other call", async () => {
  const late: (() => void)[] = [];
  const server = await opened(httpServer((response) => void late.push(() => response.end(asks("too late")))));
  const { signal, pass } = deadline();
  const first = run(fetchingRule([{ url: server.origin }], { allow: [server.origin] }), { executor, signal });
  await until(() => late.length === 1);
  pass();
  for (const answer of late) answer();
  expect(await first).toMatchObject({ ok: false, failure: TIMEOUT });
  await expectNothingLeft();
});

test("two hundred requests leave nothing behind", async () => {
  const server = await opened(
    httpServer((response, { url }) => (url === "/never" ? undefined : response.end(asks("no")))),
  );
  const own = new WasmExecutor({ threads: 1 });
  const rule = fetchingRule([{ url: server.origin }, { url: server.origin, method: "POST" }], {
    allow: [server.origin],
  });
  const never = fetchingRule([{ url: `${server.origin}/never` }], { allow: [server.origin] });
  const calls = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      await run(rule, { executor: own });
      if (at % 10 !== 0) continue;
      const { signal, pass } = deadline();
      const asked = server.requests.length;
      const stopped = run(never, { executor: own, signal });
      await until(() => server.requests.length > asked);
      pass();
      await stopped;
    }
  };
  const counted = (): string => {
    const names = process.getActiveResourcesInfo();
    return names.filter((name) => /Port|Worker/.test(name)).join();
  };
  // The thread has opened its channel.
  await calls(10);
  const before = counted();
  const openBefore = server.connections().open;
  await calls(100);
  expect(counted()).toBe(before);
  expect(server.connections().open).toBeLessThanOrEqual(openBefore + 1);
  await own.close();
  await until(() => server.connections().open === 0);
});
