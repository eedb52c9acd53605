import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";

/** Servers on this machine that answer as a test says, and record what they receive. */

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface TestServer {
  readonly port: number;
  readonly origin: string;
  readonly requests: readonly Seen[];
  /** All connections ever made, and the open ones. */
  connections(): { readonly made: number; readonly open: number };
  close(): Promise<void>;
}

export type Answering = (response: ServerResponse, seen: Seen) => void;

export async function httpServer(answer: Answering, host = "127.0.0.1"): Promise<TestServer> {
  const requests: Seen[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers, rawHeaders } = request;
      const seen = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
      requests.push(seen);
      answer(response, seen);
    });
  });
  return listening(server, host, requests);
}

/** `answer` gets the bare connection after part of a request has arrived. */
export async function rawServer(answer: (socket: Socket) => void, host = "127.0.0.1"): Promise<TestServer> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  return listening(server, host, []);
}

async function listening(
  server: ReturnType<typeof createServer>,
  host: string,
  requests: readonly Seen[],
): Promise<TestServer> {
  let made = 0;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    made += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    port,
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    requests,
    connections: () => ({ made, open: sockets.size }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits until the condition is true, for a few seconds at most. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isSo(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  if (!isSo()) throw new Error("it did not become so");
}

/** Returns a certain header and the body, as text. */
export const rawAnswer = (body: string, ...headers: readonly string[]): string =>
  ["HTTP/1.1 200 OK", "content-type: application/json", ...headers, "", body].join("\r\n");
