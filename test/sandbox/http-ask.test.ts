import { describe, expect, test } from "vitest";
import type { HttpAsk, HttpReply } from "../../src/sandbox/guest/capabilities/capability.ts";
import { failureOfAsk, readHttpAsk } from "../../src/sandbox/guest/capabilities/http-ask.ts";
import { hostsGrant } from "../executors/wasm/fetching-guest.ts";
import fc from "../helpers/fc.ts";
import { DrivenHost, type HostParts } from "./guest-host.ts";

const URL_OF = "https://api.example.com/v1";
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (request: unknown, body?: Uint8Array) =>
  readHttpAsk(encode(typeof request === "string" ? request : JSON.stringify(request)), body);

describe("a guest's request", () => {
  test.each([
    [{ url: URL_OF }, { method: "GET", headers: {} }],
    [
      { url: URL_OF, method: null, headers: null },
      { method: "GET", headers: {} },
    ],
    [
      { url: URL_OF, method: "patch", headers: { "X-One": " a\tb " } },
      { method: "PATCH", headers: { "x-one": "a\tb" } },
    ],
  ])("may be written in the form of plug-in kits: %j", (request, ask) => {
    expect(read(request)).toEqual({ ok: true, ask: { url: URL_OF, body: undefined, ...ask } });
  });

  test("has no body if the body's block is empty", () => {
    expect(read({ url: URL_OF }, new Uint8Array(0))).toMatchObject({ ok: true, ask: { body: undefined } });
  });

  test.each([
    ["", "not valid JSON"],
    ["{", "not valid JSON"],
    ["[]", "not a JSON object"],
    ['"https://api.example.com"', "not a JSON object"],
    ['{"url":"https://a.test","url":"https://b.test"}', 'has the key "url" twice'],
    ['{"url":"https://a.test","\\u0075rl":"https://b.test"}', 'has the key "url" twice'],
    ["{}", "has no url"],
    ['{"url":1}', "has no url"],
    ['{"url":"https://a.test","method":1}', "method is not a string"],
    ['{"url":"https://a.test","headers":[]}', "headers are not an object of strings"],
    ['{"url":"https://a.test","headers":{"a":["b"]}}', "headers are not an object of strings"],
    ['{"url":"https://a.test","proxy":"http://evil.test"}', '"proxy" is not a key'],
  ])("that cannot be parsed is the guard's error: %s", (text, message) => {
    const failure = readFailure(text);
    expect(failure).toMatchObject({ kind: "trap" });
    expect(failure?.message).toContain(message);
  });

  test.each([
    [{ method: "CONNECT" }, 'method "CONNECT" is none of'],
    [{ method: "TRACE" }, "is none of"],
    [{ method: "GET\r\nx: y" }, "is none of"],
    [{ method: "" }, "is none of"],
    ...[
      "Host",
      "connection",
      "Transfer-Encoding",
      "content-length",
      "upgrade",
      "TE",
      "trailer",
      "keep-alive",
      "Proxy-Authorization",
      "proxy-connection",
      "expect",
      "accept-encoding",
      "http2-settings",
    ].map((name) => [{ headers: { [name]: "x" } }, "may not be set by a guard"] as const),
    [{ headers: { "": "x" } }, "is not a valid header name"],
    [{ headers: { "a b": "x" } }, "is not a valid header name"],
    [{ headers: { "a:": "x" } }, "is not a valid header name"],
    [{ headers: { "a\r\nb": "x" } }, "is not a valid header name"],
    [{ headers: { "\u212aey": "x" } }, "is not a valid header name"],
    [{ headers: { a: "x\r\nb: y" } }, "not one line of Latin-1"],
    [{ headers: { a: "x\u0000" } }, "not one line of Latin-1"],
    [{ headers: { a: "\u2713" } }, "not one line of Latin-1"],
    [{ headers: { A: "x", a: "y" } }, "is set twice"],
  ] as const)("that sets what only the host may set is refused: %j", (parts, message) => {
    const failure = readFailure(JSON.stringify({ url: URL_OF, ...parts }));
    expect(failure).toMatchObject({ kind: "capability" });
    expect(failure?.message).toContain(message);
  });

  test.each([
    ["the URL", { url: `https://a.test/${"a".repeat(4_096)}` }, 4_096],
    ["headers", { headers: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`h${at}`, "x"])) }, 64],
    ["the headers", { headers: { a: "x".repeat(16_384) } }, 16_384],
  ])("has a limit, which the failure names with its value: %s", (what, parts, limit) => {
    const failure = readFailure(JSON.stringify({ url: URL_OF, ...parts }));
    expect(failure).toMatchObject({ kind: "capability", limit });
    expect(failure?.value).toBeGreaterThan(limit);
    expect(failure?.message).toContain(what);
  });

  test("passes only if each of its parts is one line of HTTP", () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom("\r", "\n", "\0", ":", " ", "\u0130"), fc.string()) });
    fc.assert(
      fc.property(text, text, text, (method, name, value) => {
        const result = read({ url: URL_OF, method, headers: { [name]: value } });
        if (!result.ok) return;
        expect(result.ask.method).toMatch(/^[A-Z]+$/);
        for (const [key, content] of Object.entries(result.ask.headers)) {
          expect(key).toMatch(/^[^\s:\u0000-\u0020\u007f-\uffff]+$/);
          expect(content).not.toMatch(/[\r\n\0]/);
        }
        expect(failureOfAsk(result.ask)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  function readFailure(text: string) {
    const result = read(text);
    return result.ok ? undefined : result.failure;
  }
});

describe("the host functions for requests", () => {
  const granted = { hosts: hostsGrant() };

  async function driven(parts: HostParts = {}): Promise<DrivenHost> {
    const host = new DrivenHost(parts);
    await host.prepare({ grants: granted });
    return host;
  }

  const answering =
    (...replies: HttpReply[]) =>
    (): HttpReply =>
      replies.shift() ?? { kind: "failed", message: "nothing more" };
  const answered = (status: number, body: string): HttpReply => ({
    kind: "answered",
    status,
    headers: { a: "b" },
    body: encode(body),
  });

  test.each(["http_request", "http_status_code", "http_headers"] as const)(
    "include %s, which needs the grant",
    async (name) => {
      const host = await driven({ grants: {}, ask: answering() });
      const values = name === "http_request" ? [host.store(JSON.stringify({ url: URL_OF })), 0n] : [];
      expect(host.refusal((one) => one.call(name, ...values))).toEqual({
        kind: "capability",
        message: `${name} needs a grant of "hosts"`,
      });
    },
  );

  test("give the answer's body, status and headers, until the next request or call", async () => {
    const host = await driven({
      grants: granted,
      ask: answering(answered(201, "made"), answered(204, ""), { kind: "failed", message: "" }),
    });
    const ask = (): bigint => host.call("http_request", host.store(JSON.stringify({ url: URL_OF })), 0n) as bigint;
    expect([host.call("http_status_code"), host.call("http_headers")]).toEqual([0, 0n]);
    expect(host.text(ask())).toBe("made");
    expect(host.call("http_status_code")).toBe(201);
    expect(host.text(host.call("http_headers") as bigint)).toBe('{"a":"b"}');
    expect(ask()).toBe(0n);
    expect(host.call("http_status_code")).toBe(204);
    expect(ask()).toBe(0n);
    expect([host.call("http_status_code"), host.call("http_headers")]).toEqual([0, 0n]);
    ask();
    host.begin({ grants: granted });
    expect([host.call("http_status_code"), host.call("http_headers")]).toEqual([0, 0n]);
  });

  test("pass on a body in a separate buffer, not in the heap", async () => {
    const seen: HttpAsk[] = [];
    const host = await driven({
      grants: granted,
      ask: (ask) => {
        seen.push(ask);
        return answered(200, "");
      },
    });
    host.call("http_request", host.store(JSON.stringify({ url: URL_OF, method: "POST" })), host.store("body"));
    expect(seen[0]?.body?.buffer.byteLength).toBe(4);
  });

  test("refuse what is too long before reading it, and handles of no block", async () => {
    const host = await driven({ grants: granted, ask: answering() });
    const request = (): bigint => host.store(JSON.stringify({ url: URL_OF }));
    expect(host.refusal((one) => one.call("http_request", one.alloc(32_769), 0n))).toMatchObject({ limit: 32_768 });
    host.begin({ grants: granted, ask: answering() });
    expect(host.refusal((one) => one.call("http_request", request(), one.alloc(262_145)))).toMatchObject({
      kind: "capability",
      limit: 262_144,
      value: 262_145,
    });
    host.begin({ grants: granted, ask: answering() });
    expect(host.refusal((one) => one.call("http_request", 7_777_777n, 0n))).toMatchObject({ kind: "trap" });
  });

  test("keep a refusal: nothing that the guest does next counts", async () => {
    const refused: HttpReply = { kind: "refused", failure: { kind: "output-too-large", message: "no", limit: 1 } };
    const host = await driven({ grants: granted, ask: answering(refused, answered(200, "ok")) });
    const ask = (one: DrivenHost): unknown => one.call("http_request", one.store(JSON.stringify({ url: URL_OF })), 0n);
    host.refusal(ask);
    ask(host);
    expect(host.host.failure).toEqual({ kind: "output-too-large", message: "no", limit: 1 });
  });

  test("refuse by name if no broker can answer", async () => {
    const host = await driven({ grants: granted });
    expect(host.refusal((one) => one.call("http_request", one.store(JSON.stringify({ url: URL_OF })), 0n))).toEqual({
      kind: "capability",
      message: "http_request: no request can be sent in this thread",
    });
  });

  test("have a limit for the size of all answers of a call", async () => {
    const host = await driven({
      grants: granted,
      limits: { heapBytes: 1_024 },
      ask: answering(answered(200, "x".repeat(2_048))),
    });
    const ask = (one: DrivenHost): unknown => one.call("http_request", one.store(JSON.stringify({ url: URL_OF })), 0n);
    expect(host.refusal(ask)).toMatchObject({ kind: "memory", limit: 1_024 });
    expect(host.call("http_status_code")).toBe(0);
  });
});
