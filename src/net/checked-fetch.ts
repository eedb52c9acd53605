import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Network } from "../grants.ts";
import { carriesCredentials, inTheClear, mayBeThisMachine, onlyThisMachine } from "./clear-text.ts";
import { checkedLookup, type Resolver, systemResolver } from "./dns-lookup.ts";
import { FetchFailed } from "./fetch-failed.ts";
import { requestOptions } from "./kept-connections.ts";
import { streamedExchange } from "./streamed-response.ts";
import { checkTarget, type TargetLimits } from "./target.ts";

export interface CheckedFetchOptions {
  readonly network: Network;
  /** Patterns of allowed URLs. Default: any URL. */
  readonly allowedUrls?: TargetLimits["allowedUrls"];
  /** The maximum length of a response body, streamed bodies included. */
  readonly maxBodyBytes: number;
  readonly resolve?: Resolver;
}

export interface CheckedFetch {
  /**
   * A `fetch` with the signature of the global function, for libraries that accept a replacement. Takes a URL and a
   * body of text or bytes; throws a `TypeError` for a `Request` and other bodies. Rejects with a `FetchFailed`, or with
   * the reason of `init.signal`. Reading the body rejects in the same way.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Ends every request and connection. Later requests reject. */
  close(): Promise<void>;
}

/**
 * Returns a `fetch` that reaches only the addresses that a rule may send to. Does not follow redirects or use proxies
 * from variables. Credentials leave this machine only over `https:`. Each request has its own connection.
 */
export function openCheckedFetch(options: CheckedFetchOptions): CheckedFetch {
  const running = new Map<ClientRequest, (reason: unknown) => void>();
  let isClosed = false;
  return {
    fetch: async (input, init = {}) => {
      if (isClosed) throw new FetchFailed({ kind: "unavailable", message: "the client is closed" });
      const { signal } = init;
      signal?.throwIfAborted();
      const body = bytesOf(init.body);
      const { peer, request } = open(urlOf(input), init, body, options);
      const { response, end } = streamedExchange(request, body, { peer, maxBodyBytes: options.maxBodyBytes });
      const onAbort = (): void => end(signal?.reason);
      signal?.addEventListener("abort", onAbort);
      running.set(request, end);
      request.on("close", () => {
        signal?.removeEventListener("abort", onAbort);
        running.delete(request);
      });
      return response;
    },
    close: async () => {
      isClosed = true;
      const ended = [...running.keys()].map((request) => new Promise((resolve) => request.once("close", resolve)));
      const closed = new FetchFailed({ kind: "cancelled", message: "the client was closed during the request" });
      for (const end of running.values()) end(closed);
      await Promise.all(ended);
    },
  };
}

function open(
  url: string,
  { method = "GET", headers: given }: RequestInit,
  body: Uint8Array | undefined,
  { network, allowedUrls, resolve = systemResolver }: CheckedFetchOptions,
): { readonly peer: string; readonly request: ClientRequest } {
  const headers = new Headers(given);
  const checked = checkTarget(url, { network, allowedUrls });
  if (!checked.ok) throw new FetchFailed({ kind: "capability", message: checked.message });
  const { url: target, host } = checked.target;
  const inClearText = target.protocol === "http:" && carriesCredentials(headers);
  if (inClearText && !mayBeThisMachine(host))
    throw new FetchFailed({ kind: "capability", message: inTheClear(target.host) });
  // A small compressed response of a hostile server could become a large response.
  headers.set("accept-encoding", "identity");
  if (!headers.has("user-agent")) headers.set("user-agent", "hookbox");
  if (body !== undefined) headers.set("content-length", String(body.byteLength));
  for (const name of ["host", "connection", "transfer-encoding"]) headers.delete(name);
  const lookup = checkedLookup(network, resolve);
  const checkedOptions = requestOptions(
    checked.target,
    inClearText ? onlyThisMachine(lookup, inTheClear(target.host)) : lookup,
  );
  const isSecure = target.protocol === "https:";
  const request = (isSecure ? httpsRequest : httpRequest)({
    ...checkedOptions,
    method: method.toUpperCase(),
    headers: Object.fromEntries(headers),
    agent: isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false }),
  });
  return { peer: target.host, request };
}

function urlOf(input: string | URL | Request): string {
  if (typeof input === "string") return input;
  if (input instanceof URL) return input.href;
  throw new TypeError("fetch takes a URL here, not a Request: pass the URL and the options");
}

function bytesOf(body: RequestInit["body"]): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError("the body must be text or bytes");
}
