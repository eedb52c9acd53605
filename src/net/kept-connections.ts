import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import type { StopSignal } from "../stop-signal.ts";
import { MAX_HEADER_BYTES } from "./connection-failure.ts";
import type { Target } from "./target.ts";

/** Idle connections are given up before most servers do so themselves, which could cost a request. */
const IDLE_MS = 4_000;
const MAX_IDLE_CONNECTIONS = 16;

export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it may take a connection that was kept, and leave its own for others. */
  readonly keep: boolean;
  /** Once it has fired, no name is looked up for the request any more. */
  readonly signal: StopSignal;
}

/** Opens requests of one protocol to addresses that one lookup has checked. */
export interface Opener {
  open(target: Target, request: OutgoingRequest): ClientRequest;
  /** Gives up the connections that are kept; what runs, runs on. */
  dropIdle(): void;
  destroy(): void;
}

/**
 * `https` takes a while to load, and most hooks are on this machine. Whatever the environment says: no proxy is used, and
 * certificates are checked.
 */
export async function openerFor(protocol: string, lookupFor: (signal: StopSignal) => LookupFunction): Promise<Opener> {
  const { Agent, request } = protocol === "https:" ? await import("node:https") : await import("node:http");
  const kept: Agent = new Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    scheduling: "lifo",
  });
  return {
    open: ({ url, host, port }, { method, headers, keep, signal }) => {
      const options: RequestOptions & { readonly rejectUnauthorized: boolean } = {
        method,
        protocol,
        host,
        port,
        path: `${url.pathname}${url.search}`,
        headers,
        lookup: lookupFor(signal),
        maxHeaderSize: MAX_HEADER_BYTES,
        agent: keep ? kept : new Agent({ keepAlive: false }),
        rejectUnauthorized: true,
      };
      return request(options);
    },
    dropIdle: () => {
      for (const socket of Object.values(kept.freeSockets).flat()) socket?.destroy();
    },
    destroy: () => kept.destroy(),
  };
}
