import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import type { StopSignal } from "../stop-signal.ts";
import { MAX_HEADER_BYTES } from "./connection-failure.ts";
import type { Target } from "./target.ts";

/** How long an idle connection is kept, in milliseconds. Most servers keep it longer and so never close it first. */
const IDLE_MS = 4_000;
const MAX_IDLE_CONNECTIONS = 16;

interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request may use a kept connection, and whether its own connection is kept afterwards. */
  readonly keep: boolean;
  /** Aborting the signal cancels a lookup that waits in the queue. */
  readonly signal: StopSignal;
}

/** Opens requests of one protocol. The same lookup checks every address. */
export interface Opener {
  open(target: Target, request: OutgoingRequest): ClientRequest;
  /** Closes the idle connections. Running requests continue. */
  dropIdle(): void;
  destroy(): void;
}

/** Returns the opener of a protocol. Loads `node:https` only if needed, because loading takes milliseconds. */
export async function openerFor(protocol: string, lookupFor: (signal: StopSignal) => LookupFunction): Promise<Opener> {
  const { Agent, request } = protocol === "https:" ? await import("node:https") : await import("node:http");
  const kept: Agent = new Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    scheduling: "lifo",
  });
  return {
    open: (target, { method, headers, keep, signal }) =>
      request({
        ...requestOptions(target, lookupFor(signal)),
        method,
        headers,
        agent: keep ? kept : new Agent({ keepAlive: false }),
      }),
    dropIdle: () => {
      for (const socket of Object.values(kept.freeSockets).flat()) socket?.destroy();
    },
    destroy: () => kept.destroy(),
  };
}

/** Returns options that environment variables cannot change: no proxy is used, and certificates are always checked. */
export function requestOptions(
  { url, host, port }: Target,
  lookup: LookupFunction,
): RequestOptions & { readonly rejectUnauthorized: true } {
  return {
    protocol: url.protocol,
    host,
    port,
    path: `${url.pathname}${url.search}`,
    lookup,
    maxHeaderSize: MAX_HEADER_BYTES,
    rejectUnauthorized: true,
  };
}
