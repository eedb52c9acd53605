import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { HttpClient, MAX_BODY_BYTES } from "../../src/net/http-client.ts";
import { post, summary } from "./posting.ts";
import { httpServer, rawAnswer, rawServer, type TestServer, until } from "./servers.ts";

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
const opened = async (server: Promise<TestServer>): Promise<TestServer> => {
  open.push(await server);
  return server;
};

/** Writes the same text again and again, as fast as it is read, until it is no longer read. */
function flood(socket: import("node:net").Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text)) if (socket.writableLength > 1_000_000) break;
    if (!socket.destroyed) setImmediate(more);
  };
  more();
}

describe("an answer", () => {
  test("arrives whole, with status and headers", async () => {
    const server = await opened(
      httpServer((response) => response.writeHead(418, { "x-a": "b" }).end("né".repeat(1_000))),
    );
    const result = await post(server.origin);
    expect(result).toMatchObject({
      ok: true,
      answer: { status: 418, headers: { "x-a": "b" }, remoteAddress: "127.0.0.1" },
    });
    expect(result.ok && result.answer.body.toString()).toBe("né".repeat(1_000));
  });

  test("may be as long as the limit, and no longer", async () => {
    const lengths = [MAX_BODY_BYTES, MAX_BODY_BYTES + 1];
    for (const chunked of [true, false]) {
      const server = await opened(
        httpServer((response, { url }) => {
          const body = "x".repeat(lengths[Number(url?.slice(1))] ?? 0);
          if (chunked) response.write(body.slice(0, 10));
          response.end(chunked ? body.slice(10) : body);
        }),
      );
      expect(summary(await post(`${server.origin}/0`))).toBe("200");
      const tooLong = await post(`${server.origin}/1`);
      expect(tooLong).toMatchObject({ ok: false, failure: { kind: "output-too-large", limit: MAX_BODY_BYTES } });
    }
  });

  // What a server can do to keep hookbox busy, and the failure for it.
  test.each<[string, (socket: import("node:net").Socket) => void, RegExp]>([
    [
      "a body without end",
      (socket) => {
        socket.write(rawAnswer("", "connection: close"));
        flood(socket, "x".repeat(65_536));
      },
      /^output-too-large: the answer of .* over the limit of 1048576$/,
    ],
    [
      "chunks without end",
      (socket) => {
        socket.write(rawAnswer("", "transfer-encoding: chunked"));
        flood(socket, `ffff\r\n${"x".repeat(65_535)}\r\n`);
      },
      /^output-too-large: /,
    ],
    [
      "a length that nobody would take",
      (socket) => {
        socket.write(rawAnswer("{", "content-length: 99999999999"));
      },
      /^output-too-large: .* 99999999999 bytes/,
    ],
    [
      "a header without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx: ");
        flood(socket, "x".repeat(8_192));
      },
      /^output-too-large: the headers of .* more than 16384 bytes$/,
    ],
    [
      "headers without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        flood(socket, "a: b\r\n".repeat(100));
      },
      /^output-too-large: the headers of /,
    ],
    [
      "a status line without end",
      (socket) => {
        socket.write("HTTP/1.1 200 ");
        flood(socket, "x".repeat(8_192));
      },
      /^(output-too-large|unavailable): /,
    ],
    [
      "trailers without end",
      (socket) => {
        socket.write(rawAnswer("2\r\n{}\r\n0\r\n", "transfer-encoding: chunked"));
        flood(socket, "a: b\r\n".repeat(100));
      },
      /^(output-too-large|unavailable): /,
    ],
    [
      "an extension of a chunk without end",
      (socket) => {
        socket.write(rawAnswer("2;", "transfer-encoding: chunked"));
        flood(socket, "x".repeat(8_192));
      },
      /^(output-too-large|unavailable): /,
    ],
    [
      "interim answers without end",
      (socket) => {
        flood(socket, "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(20));
      },
      /^output-too-large: .* more than 8 interim answers$/,
    ],
    [
      "a hundred times 100",
      (socket) => {
        flood(socket, "HTTP/1.1 100 Continue\r\n\r\n".repeat(100));
      },
      /^output-too-large: .* more than 8 interim answers$/,
    ],
    [
      "another protocol",
      (socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
      },
      /^(invalid-output|unavailable): /,
    ],
    [
      "something that is not HTTP",
      (socket) => socket.end("SSH-2.0-OpenSSH_9.0\r\n"),
      /^unavailable: .* did not answer in HTTP/,
    ],
    [
      "bytes of any kind",
      (socket) => socket.end(Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 37) % 256))),
      /^unavailable: /,
    ],
    [
      "two lengths",
      (socket) => {
        socket.write(rawAnswer("{}", "content-length: 2", "content-length: 9"));
      },
      /^unavailable: /,
    ],
    [
      "a length and chunks",
      (socket) => {
        socket.write(rawAnswer("0\r\n\r\n", "content-length: 5", "transfer-encoding: chunked"));
      },
      /^unavailable: /,
    ],
    ["nothing at all", (socket) => socket.end(), /^unavailable: .* closed the connection/],
    ["a reset", (socket) => socket.resetAndDestroy(), /^unavailable: .* closed the connection/],
    ["half a header", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"), /^unavailable: /],
    [
      "half a body",
      (socket) => socket.end(rawAnswer('{"a":', "content-length: 500")),
      /^unavailable: .* in the middle of its answer$/,
    ],
    [
      "half a chunk",
      (socket) => socket.end(rawAnswer("ff\r\n{", "transfer-encoding: chunked")),
      /^unavailable: .* in the middle of its answer$/,
    ],
    [
      "half a body and a reset",
      (socket) => {
        socket.write(rawAnswer('{"a":', "content-length: 500"), () => setTimeout(() => socket.resetAndDestroy(), 20));
      },
      /^unavailable: .* in the middle of its answer$/,
    ],
    [
      "a packed body",
      (socket) => {
        const packed = gzipSync("x".repeat(10_000_000));
        socket.write(rawAnswer("", "content-encoding: gzip", `content-length: ${packed.byteLength}`));
        socket.end(packed);
      },
      /^invalid-output: .* content-encoding, which was not asked for$/,
    ],
    [
      "a body packed twice",
      (socket) => {
        socket.end(rawAnswer("", "content-encoding: identity, br", "content-length: 0"));
      },
      /^invalid-output: /,
    ],
  ])("that is %s is a failure by name, and its connection is closed", async (_, misbehave, expected) => {
    const server = await opened(rawServer(misbehave));
    expect(summary(await post(server.origin))).toMatch(expected);
    await until(() => server.connections().open === 0);
    // A new connection is not retried.
    expect(server.connections().made).toBe(1);
  });

  test.each<[string, (socket: import("node:net").Socket) => void]>([
    ["silent", () => undefined],
    ["silent behind its headers", (socket) => void socket.write(rawAnswer("", "content-length: 9"))],
    ["a header a byte at a time", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-long: ", "x")],
    ["a body a byte at a time", (socket) => drip(socket, rawAnswer("", "content-length: 9999"), " ")],
    ["chunks a byte at a time", (socket) => drip(socket, rawAnswer("", "transfer-encoding: chunked"), "1\r\n \r\n")],
    [
      "complete but for the end of its chunks",
      (socket) => void socket.write(rawAnswer("2\r\n{}\r\n", "transfer-encoding: chunked")),
    ],
  ])("that is %s is given up at the deadline, and its connection is closed", async (_, linger) => {
    const server = await opened(rawServer(linger));
    expect(summary(await post(server.origin, { timeoutMs: 80 }))).toBe("timeout: too late");
    await until(() => server.connections().open === 0);
  });

  test("may have the encoding identity, which is none", async () => {
    const server = await opened(
      rawServer((socket) => socket.end(rawAnswer("{}", "content-encoding: Identity", "content-length: 2"))),
    );
    expect(summary(await post(server.origin))).toBe("200");
  });

  test("may come after a few interim ones", async () => {
    const interim = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(8);
    const server = await opened(rawServer((socket) => socket.end(interim + rawAnswer("{}", "content-length: 2"))));
    expect(summary(await post(server.origin))).toBe("200");
  });

  test("may come before the whole request was read", async () => {
    const server = await opened(rawServer((socket) => void socket.write(rawAnswer("{}", "content-length: 2"))));
    expect(summary(await post(server.origin, { body: JSON.stringify("x".repeat(8_000_000)) }))).toBe("200");
  });

  test("that never comes is a failure that says so", async () => {
    const server = await httpServer(() => undefined);
    await server.close();
    expect(summary(await post(server.origin))).toBe(
      `unavailable: 127.0.0.1:${server.port} refused the connection (ECONNREFUSED)`,
    );
  });

  test("in plain text is none for https", async () => {
    const server = await opened(httpServer((response) => response.end("{}")));
    expect(summary(await post(server.origin.replace("http:", "https:")))).toMatch(/^unavailable: /);
    expect(server.requests).toEqual([]);
  });
});

function drip(socket: import("node:net").Socket, head: string, drop: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(drop), 2);
  socket.on("close", () => clearInterval(timer));
}

describe("a connection", () => {
  test("is used again for the next request", async () => {
    const server = await opened(httpServer((response) => response.end("{}")));
    const client = new HttpClient();
    for (let round = 0; round < 20; round += 1) expect(summary(await post(server.origin, { client }))).toBe("200");
    expect(server.connections()).toEqual({ made: 1, open: 1 });
    await client.close();
    await until(() => server.connections().open === 0);
  });

  test("that its server has closed is replaced without a failure", async () => {
    const server = await opened(
      rawServer((socket) => {
        socket.write(rawAnswer("{}", "content-length: 2"));
        // What comes next on this connection is never read.
        socket.once("data", () => socket.resetAndDestroy());
      }),
    );
    const client = new HttpClient();
    for (let round = 0; round < 4; round += 1) expect(summary(await post(server.origin, { client }))).toBe("200");
    expect(server.connections().made).toBeGreaterThan(1);
    await client.close();
  });

  test("of a request that is running is closed with the client", async () => {
    const server = await opened(rawServer(() => undefined));
    const client = new HttpClient();
    const running = post(server.origin, { client });
    await until(() => server.connections().open === 1);
    await client.close();
    expect((await running).ok).toBe(false);
    await until(() => server.connections().open === 0);
    expect(summary(await post(server.origin, { client }))).toBe("cancelled: closed");
    expect(server.connections().made).toBe(1);
  });

  test("is not left open by two hundred requests that end in every way", async () => {
    let turn = 0;
    const server = await opened(
      rawServer((socket) => {
        turn += 1;
        if (turn % 4 === 0) socket.resetAndDestroy();
        else if (turn % 4 === 1) socket.write(rawAnswer("{}", "content-length: 2"));
        else if (turn % 4 === 2) socket.write(rawAnswer("{", "content-length: 99999999"));
        else socket.write("HTTP/1.1 200");
      }),
    );
    const client = new HttpClient();
    // On a busy machine some do not reach their end within a short deadline.
    const kinds = new Set<string>();
    for (let timeoutMs = 300; timeoutMs < 10_000 && kinds.size < 4; timeoutMs *= 3) {
      const ends = await Promise.all(Array.from({ length: 200 }, () => post(server.origin, { client, timeoutMs })));
      for (const end of ends) kinds.add(end.ok ? "ok" : end.failure.kind);
    }
    expect(kinds).toEqual(new Set(["ok", "unavailable", "output-too-large", "timeout"]));
    await client.close();
    await until(() => server.connections().open === 0);
    await until(() => !process.getActiveResourcesInfo().includes("TCPSocketWrap"));
  });
});
