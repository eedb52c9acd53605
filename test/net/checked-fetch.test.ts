import { afterEach, describe, expect, test } from "vitest";
import { type CheckedFetch, type CheckedFetchOptions, openCheckedFetch } from "../../src/net/checked-fetch.ts";
import { FetchFailed } from "../../src/net/fetch-failed.ts";
import { resolving } from "./posting.ts";
import { httpServer, rawServer, type TestServer, until } from "./servers.ts";
import { openTrap } from "./traps.ts";

const LIMIT = 1_000;

let server: TestServer | undefined;
let client: CheckedFetch;

afterEach(async () => {
  await client.close();
  await server?.close();
  server = undefined;
});

function fetchWith(options: Partial<CheckedFetchOptions> = {}): CheckedFetch["fetch"] {
  client = openCheckedFetch({ network: "loopback", maxBodyBytes: LIMIT, ...options });
  return client.fetch;
}

/** Returns the status and text, or the failure, on one line. */
async function outcome(asked: Promise<Response>): Promise<string> {
  try {
    const response = await asked;
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return error instanceof FetchFailed ? `${error.failure.kind}: ${error.message}` : String(error);
  }
}

describe("a request", () => {
  test("is sent as given, and answered with status, headers and body", async () => {
    server = await httpServer((response, { body }) => {
      response.writeHead(418, { "x-note": "tea" }).end(`got ${body}`);
    });
    const fetch = fetchWith();
    const asked = fetch(`${server.origin}/a?b=c`, { method: "PUT", headers: { "X-Own": "1" }, body: "hé" });
    const response = await asked;
    expect([response.status, response.headers.get("x-note"), await response.text()]).toEqual([418, "tea", "got hé"]);
    expect(server.requests).toMatchObject([
      { method: "PUT", url: "/a?b=c", headers: { "x-own": "1", "accept-encoding": "identity", "content-length": "3" } },
    ]);
    await until(() => server?.connections().open === 0);
  });

  test("has no body to read if the status says so", async () => {
    server = await httpServer((response) => response.writeHead(204).end());
    const response = await fetchWith()(new URL(server.origin));
    expect([response.status, response.body]).toEqual([204, null]);
  });

  test("accepts bytes, and nothing that would have to be read first", async () => {
    server = await httpServer((response, { body }) => response.end(body));
    const fetch = fetchWith();
    const bytes = new TextEncoder().encode("-bytes-").subarray(1, 6);
    expect(await outcome(fetch(server.origin, { method: "POST", body: bytes }))).toBe("200 bytes");
    expect(await outcome(fetch(server.origin, { method: "POST", body: new FormData() }))).toContain("text or bytes");
    expect(await outcome(fetch(new Request(server.origin)))).toContain("not a Request");
    expect(server.requests).toHaveLength(1);
  });

  test("is read piece by piece as it arrives", async () => {
    let more: (text: string) => void = () => undefined;
    server = await httpServer((response) => {
      more = (text) => response.write(text);
      more("one");
    });
    const reader = (await fetchWith()(server.origin)).body?.getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe("one");
    more("two");
    expect(await read()).toBe("two");
    await reader?.cancel();
    await until(() => server?.connections().open === 0);
  });
});

describe("the limits of an answer", () => {
  test("apply to a body that declares its length", async () => {
    server = await httpServer((response) => response.end("x".repeat(LIMIT + 1)));
    expect(await outcome(fetchWith()(server.origin))).toMatch(
      /^output-too-large: .*1001 bytes or more.* limit of 1000$/,
    );
  });

  test("apply to a body that never ends", async () => {
    server = await httpServer((response) => {
      const write = (): void => {
        if (response.write("x".repeat(100))) setImmediate(write);
      };
      response.on("drain", write);
      write();
    });
    expect(await outcome(fetchWith()(server.origin))).toMatch(/^output-too-large: .* over the limit of 1000$/);
    await until(() => server?.connections().open === 0);
  });

  test("allow what exactly fits", async () => {
    server = await httpServer((response) => response.end("x".repeat(LIMIT)));
    expect(await outcome(fetchWith()(server.origin))).toHaveLength("200 ".length + LIMIT);
  });

  test.each([
    ["headers", `HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`, "output-too-large"],
    ["interim answers", "HTTP/1.1 102 Processing\r\n\r\n".repeat(9), "output-too-large"],
    ["a packed body", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx", "invalid-output"],
    ["another protocol", "HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "invalid-output"],
    ["no status that there is", "HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n", "invalid-output"],
    ["no HTTP", "hello\r\n\r\n", "unavailable"],
    ["half of an answer", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", "unavailable"],
    ["nothing", "", "unavailable"],
  ])("refuse %s", async (_, answer, kind) => {
    server = await rawServer((socket) => socket.end(answer));
    expect(await outcome(fetchWith()(server.origin))).toMatch(new RegExp(`^${kind}: `));
    await until(() => server?.connections().open === 0);
  });
});

describe("the target of a request", () => {
  test.each([300, 301, 302, 303, 307, 308])("is not the target of a redirect with status %i", async (status) => {
    const trap = await openTrap();
    const location = `http://127.0.0.1:${trap.port}/`;
    server = await httpServer((response) => response.writeHead(status, { location }).end());
    const asked = fetchWith()(server.origin, { headers: { authorization: "Bearer secret" } });
    expect(await outcome(asked)).toMatch(
      new RegExp(`^unavailable: .*status ${status}, a redirect, which is not followed$`),
    );
    expect(trap.caught()).toBe(0);
    await trap.close();
  });

  test.each([
    ["http://127.0.0.1:PORT/", "public", undefined],
    ["http://localhost:PORT/", "public", undefined],
    ["http://hook.test:PORT/", "public", ["127.0.0.1"]],
    ["http://hook.test:PORT/", "loopback", ["10.0.0.1"]],
    ["http://169.254.169.254/", "private", undefined],
    ["http://user:password@127.0.0.1:PORT/", "loopback", undefined],
    ["ftp://127.0.0.1:PORT/", "loopback", undefined],
  ] as const)("is not %s for a rule with %s addresses (%s)", async (url, network, addresses) => {
    const trap = await openTrap();
    const fetch = fetchWith({ network, ...(addresses === undefined ? {} : { resolve: resolving(...addresses) }) });
    expect(await outcome(fetch(url.replace("PORT", String(trap.port))))).toMatch(/^capability: /);
    expect(trap.caught()).toBe(0);
    await trap.close();
  });

  test("is not the proxy of a variable", async () => {
    const trap = await openTrap();
    const names = ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : `http://127.0.0.1:${trap.port}`;
    try {
      server = await httpServer((response) => response.end("here"));
      expect(await outcome(fetchWith()(server.origin))).toBe("200 here");
    } finally {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      }
    }
    expect(trap.caught()).toBe(0);
    await trap.close();
  });
});

describe("a key without encryption", () => {
  const KEYS = [
    { authorization: "Bearer secret" },
    { "X-Api-Key": "secret" },
    { "api-key": "secret" },
    { cookie: "a=b" },
  ];

  test.each(KEYS)("is sent to this machine: %o", async (headers) => {
    server = await httpServer((response) => response.end());
    const fetch = fetchWith({ network: "private", resolve: resolving("127.0.0.1", "::1") });
    expect(await outcome(fetch(server.origin, { headers }))).toBe("200 ");
    expect(await outcome(fetch(`http://hook.test:${server.port}/`, { headers }))).toBe("200 ");
  });

  test.each(KEYS)("is sent to no other: %o", async (headers) => {
    const refusal = /^capability: a key would leave this machine unencrypted: .* must use https:/;
    const fetch = fetchWith({ network: "private", resolve: resolving("127.0.0.1", "192.0.2.1") });
    expect(await outcome(fetch("http://192.0.2.1/", { headers }))).toMatch(refusal);
    expect(await outcome(fetch("http://hook.test/", { headers }))).toMatch(refusal);
  });
});

describe("a request is given up", () => {
  const REASON = new Error("had enough");

  test("before it starts", async () => {
    server = await httpServer((response) => response.end());
    expect(await outcome(fetchWith()(server.origin, { signal: AbortSignal.abort(REASON) }))).toBe(String(REASON));
    expect(server.connections().made).toBe(0);
  });

  test.each(["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"])(
    "after %j has arrived",
    async (begun) => {
      const stop = new AbortController();
      server = await rawServer((socket) =>
        socket.write(begun === "" ? "" : begun, () => setImmediate(() => stop.abort(REASON))),
      );
      expect(await outcome(fetchWith()(server.origin, { signal: stop.signal }))).toBe(String(REASON));
      await until(() => server?.connections().open === 0);
    },
  );

  test("when the client is closed, and asked again it fails", async () => {
    server = await rawServer((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"));
    const fetch = fetchWith();
    const response = await fetch(server.origin);
    const waiting = outcome(Promise.resolve(response));
    await client.close();
    expect(await waiting).toBe("cancelled: the client was closed during the request");
    await until(() => server?.connections().open === 0);
    expect(await outcome(fetch(server.origin))).toBe("unavailable: the client is closed");
  });

  test("and leaves nothing behind on the signal", async () => {
    server = await httpServer((response) => response.end("done"));
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.add(args[1]);
      add(...args);
    };
    signal.removeEventListener = (_type: string, listener: unknown) => {
      listeners.delete(listener);
    };
    expect(await outcome(fetchWith()(server.origin, { signal }))).toBe("200 done");
    await until(() => listeners.size === 0);
  });
});
