import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Network } from "../rule.ts";
import { checkedLookup, type Resolver, systemResolver } from "./checked-lookup.ts";
import { carriesCredentials, mayBeThisMachine, onlyThisMachine } from "./clear-text.ts";
import { MAX_HEADER_BYTES } from "./connection-failure.ts";
import { FetchFailed } from "./fetch-failed.ts";
import { streamedExchange } from "./streamed-response.ts";
import { checkTarget, type TargetTerms } from "./target.ts";

export interface CheckedFetchOptions {
  readonly network: Network;
  /** `undefined`: any URL. */
  readonly allowedUrls?: TargetTerms["allowedUrls"];
  /** Most that an answer's body may be long, also one that comes bit by bit. */
  readonly maxBodyBytes: number;
  readonly resolve?: Resolver;
}

export interface CheckedFetch {
  /**
   * As the platform's, for libraries that take one: a URL, and a body that is a text or bytes. Rejects with a
   * `FetchFailed`, and so does reading the body; when its signal fires, with that signal's reason.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Ends every request and connection, and those that are asked for later. */
  close(): Promise<void>;
}

/**
 * A `fetch` that goes where a rule may send, and nowhere else: addresses are checked as web hooks' are, redirects are
 * not followed, no variable names a proxy, and what authenticates us leaves this machine encrypted or not at all. Each
 * request has a connection of its own, which ends with it.
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
      const closed = new FetchFailed({ kind: "cancelled", message: "the client was closed meanwhile" });
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
  const { url: target, host, port } = checked.target;
  const inClearText = target.protocol === "http:" && carriesCredentials(headers);
  if (inClearText && !mayBeThisMachine(host))
    throw new FetchFailed({ kind: "capability", message: inTheClear(target.host) });
  // To unpack what a stranger has packed is how a small answer becomes a large one.
  headers.set("accept-encoding", "identity");
  if (!headers.has("user-agent")) headers.set("user-agent", "hookbox");
  if (body !== undefined) headers.set("content-length", String(body.byteLength));
  for (const name of ["host", "connection", "transfer-encoding"]) headers.delete(name);
  const lookup = checkedLookup(network, resolve);
  const isSecure = target.protocol === "https:";
  const requestOptions: RequestOptions & { readonly rejectUnauthorized: boolean } = {
    method: method.toUpperCase(),
    protocol: target.protocol,
    host,
    port,
    path: `${target.pathname}${target.search}`,
    headers: Object.fromEntries(headers),
    lookup: inClearText ? onlyThisMachine(lookup, inTheClear(target.host)) : lookup,
    maxHeaderSize: MAX_HEADER_BYTES,
    agent: isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false }),
    // Whatever the environment says.
    rejectUnauthorized: true,
  };
  return { peer: target.host, request: (isSecure ? httpsRequest : httpRequest)(requestOptions) };
}

function inTheClear(host: string): string {
  return `a key would leave this machine unencrypted: ${host} must be reached over https:, or be this machine`;
}

function urlOf(input: string | URL | Request): string {
  if (typeof input === "string") return input;
  if (input instanceof URL) return input.href;
  throw new TypeError("give the URL and what goes with it, not a Request");
}

function bytesOf(body: RequestInit["body"]): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError("a body is a text or bytes");
}
