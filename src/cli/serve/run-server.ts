import { randomBytes } from "node:crypto";
import { closeSync, statSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { HookError } from "../../errors.ts";
import { lookForOffFileIn } from "../off/off-file.ts";
import { createApp } from "./app.ts";
import { boundConnections } from "./connection-bounds.ts";
import { type HttpAddress, leftAddress, removeAddress, writeAddress } from "./http-file.ts";
import { Metrics } from "./metrics.ts";
import { inodeOf, listenAt, removeSocket } from "./socket-file.ts";
import { WarmProjects } from "./warm-projects.ts";

export interface ServerOptions {
  /** The path of the Unix socket. `undefined`: none. */
  readonly socket?: string | undefined;
  /** A descriptor that already listens at `socket`, from the relay that started this process. */
  readonly listenFd?: number | undefined;
  /** The descriptor of the lock that the relay holds, so that only one relay starts a server. */
  readonly lockFd?: number | undefined;
  /** Loopback HTTP: the port, or 0 for a free one. */
  readonly port?: number | undefined;
  /** The file for the URL and the token of loopback HTTP. */
  readonly tokenFile: string;
  /** Milliseconds without a call until the server stops. `undefined`: never. */
  readonly idleMs?: number | undefined;
  /** Worker threads for the guards of all projects. */
  readonly threads: number;
  readonly main: string;
  /** Resolves at a signal. */
  readonly interrupted: Promise<void>;
  readonly print: (text: string) => void;
  readonly onListening: () => void;
}

/** How long open calls may go on after the server was told to stop. */
const DRAIN_MS = 10_000;
const IDLE_CHECK_MS = 1_000;

/** Bounds for slow and half-open clients. A relay sends its request at once. */
const CONNECTION_BOUNDS = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 1_000,
} as const;
const SLOW = "ERR_HTTP_REQUEST_TIMEOUT";

/** How requests are refused that Node's parser does not take. Others are 400. */
const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  [SLOW]: "408 Request Timeout",
};

/** Answers calls until it is told to stop, is idle for too long, or another installation asks. */
export async function runServer(options: ServerOptions): Promise<void> {
  if (options.socket !== undefined) lookForOffFileIn(dirname(options.socket));
  const projects = new WarmProjects(options.threads);
  const metrics = new Metrics();
  const stopping = new AbortController();
  /** Whether the next server must serve the port of this server. */
  let isFollowed = false;
  const stop = (why?: "followed"): void => {
    isFollowed ||= why === "followed";
    stopping.abort();
  };
  void options.interrupted.then(() => stop());
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve()));
  const cut = new AbortController();

  const mainStamp = stampOf(options.main);
  const shared = {
    projects,
    metrics,
    cutOff: cut.signal,
    stop,
    isCurrent: (main: string | undefined) => main === options.main && stampOf(options.main) === mainStamp,
  };
  const open = new Set<Server>();
  const listen = (token?: string): Server => {
    const { fetch } = createApp({ ...shared, ...(token === undefined ? {} : { token }) });
    const server = createAdaptorServer({ fetch, serverOptions: CONNECTION_BOUNDS }) as Server;
    server.on("request", () => {
      lastCall = performance.now();
    });
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
      metrics.count("requests_refused", { why: error.code === SLOW ? "slow" : "http" });
      socket.end(`HTTP/1.1 ${STATUS_OF[error.code ?? ""] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`);
    });
    boundConnections(server, () => metrics.count("requests_refused", { why: "connections" }));
    open.add(server);
    return server;
  };
  let lastCall = performance.now();
  let inode: number | undefined;
  if (options.socket !== undefined) {
    const server = listen();
    if (options.listenFd === undefined) await listenAt(server, options.socket);
    else await listening(server, { fd: options.listenFd });
    inode = inodeOf(options.socket);
    options.print(`hookbox serves ${options.socket}\n`);
  }
  const left = leftAddress(options.tokenFile);
  const isByPort = options.port !== undefined || left !== undefined;
  // A relay states an idle time for a server without a port. Agents cannot start a server over HTTP.
  const idleMs = options.port === undefined && left !== undefined ? left.idleMs : options.idleMs;
  if (isByPort) {
    const address = { ...(await listenByPort(listen, options.port || undefined, left)), idleMs };
    try {
      writeAddress(options.tokenFile, address);
    } catch (error) {
      // A full disk must not end a server that a relay has started.
      if (options.port !== undefined) throw error;
    }
    options.print(`hookbox serves http://127.0.0.1:${address.port}; the token is in ${options.tokenFile}\n`);
  }

  options.onListening();
  const watching = setInterval(() => {
    const isIdle = idleMs !== undefined && performance.now() - lastCall > idleMs;
    // Another server has taken the path, for example after a race between two starts.
    const isReplaced = inode !== undefined && options.socket !== undefined && inodeOf(options.socket) !== inode;
    if (isIdle || isReplaced) stop();
  }, IDLE_CHECK_MS);
  await stopped;
  clearInterval(watching);
  if (inode !== undefined && options.socket !== undefined) removeSocket(options.socket, inode);
  if (isByPort && !isFollowed) removeAddress(options.tokenFile);
  // Released before the open calls end, so that a relay can start the next server now.
  if (options.lockFd !== undefined) closeSync(options.lockFd);
  const drained = Promise.all([...open].map((server) => new Promise((resolve) => server.close(resolve))));
  const late = sleep(DRAIN_MS, "late", { ref: false });
  if ((await Promise.race([drained, late])) === "late") {
    cut.abort(new HookError("HOOK_ENGINE_CLOSED", "the server was stopped before all rules had answered"));
    await Promise.race([drained, sleep(1_000, undefined, { ref: false })]);
  }
  await projects.close();
}

function listening(server: Server, at: object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, () => resolve());
  });
}

/**
 * Listens at the asked port, or at the port of the server that has crashed, because agents keep its URL and its token.
 * Another program that has taken this port has seen the token, so the server then takes a free port and a new token.
 */
async function listenByPort(
  listen: (token: string) => Server,
  asked: number | undefined,
  left: HttpAddress | undefined,
): Promise<{ readonly port: number; readonly token: string }> {
  const host = "127.0.0.1";
  if (left !== undefined && (asked ?? left.port) === left.port) {
    try {
      await listening(listen(left.token), { host, port: left.port });
      return left;
    } catch (error) {
      if (asked !== undefined) throw error;
    }
  }
  const token = randomBytes(16).toString("hex");
  const server = listen(token);
  await listening(server, { host, port: asked ?? 0 });
  return { port: (server.address() as AddressInfo).port, token };
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "gone" : `${stats.ino}.${stats.size}.${stats.mtimeNs}`;
}
