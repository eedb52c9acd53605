import { ReadableStream } from "node:stream/web";
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  StreamableHTTPClientTransport,
  Transport,
} from "@modelcontextprotocol/client";
import { type CheckedFetch, openCheckedFetch } from "../../net/checked-fetch.ts";
import type { McpServer } from "../../rule.ts";
import type { McpLimits } from "./limits.ts";

export type Sdk = typeof import("@modelcontextprotocol/client");
type HttpServer = Extract<McpServer, { kind: "http" }>;

/** How often a broken response is fetched again, and the longest wait before a retry. */
const MAX_RECONNECTIONS = 2;
const MAX_RECONNECTION_DELAY_MS = 2_000;

/** The maximum number of a server's questions. Each answer costs a connection, and a server may ask thousands. */
const MAX_QUESTIONS = 4;

/**
 * The library's transport for streamable HTTP with four changes. It opens no stream for messages that the server sends
 * unasked, because hookbox serves none. A cancelled request ends its connection. A response that ends without a result
 * fails immediately. The number of a server's own questions is limited.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #checked: CheckedFetch;
  readonly #endMs: number;
  /** Requests without an answer so far. */
  readonly #open = new Map<string | number, AbortController>();
  /** Questions of the server that were not refused yet. */
  readonly #questions = new Set<string | number>();
  /** The error that broke the last response. */
  #broken: unknown;

  constructor(sdk: Sdk, server: HttpServer, { messageBytes, killGraceMs }: McpLimits) {
    this.#endMs = killGraceMs;
    this.#checked = openCheckedFetch({ network: server.network, maxBodyBytes: messageBytes });
    this.#inner = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
      fetch: (url, init) => this.#fetch(url, init),
      requestInit: { headers: { ...server.headers } },
      reconnectionOptions: {
        initialReconnectionDelay: 100,
        maxReconnectionDelay: MAX_RECONNECTION_DELAY_MS,
        reconnectionDelayGrowFactor: 2,
        maxRetries: MAX_RECONNECTIONS,
      },
      // The timer does not keep the process alive. A server may ask for any delay, but the caller has a timeout.
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = setTimeout(reconnect, Math.min(delayMs, MAX_RECONNECTION_DELAY_MS)).unref();
        return () => clearTimeout(timer);
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
      if ("method" in message && "id" in message && !this.#takesQuestion(message.id)) return;
      this.onmessage?.(message, extra);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message)) {
      return this.#inner.send(message).finally(() => this.#questions.delete(message.id as string | number));
    }
    if (!("id" in message)) {
      const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
      return this.#inner.send(message).finally(() => this.#abort(cancelled));
    }
    const { id } = message;
    const request = new AbortController();
    this.#open.set(id, request);
    const onRequestStreamEnd = (): void => this.#failUnanswered(id);
    try {
      await this.#inner.send(message, { requestSignal: request.signal, onRequestStreamEnd });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /** Ends the session on the server, waits briefly for its answer, and closes all connections. */
  async close(_why?: string): Promise<void> {
    for (const request of this.#open.values()) request.abort();
    this.#open.clear();
    const timer = setTimeout(() => void this.#inner.close(), this.#endMs);
    await this.#inner.terminateSession().catch(() => {});
    clearTimeout(timer);
    await this.#inner.close();
    await this.#checked.close();
  }

  async #fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    if (isListening(init)) return new Response(null, { status: 405 });
    const response = await this.#checked.fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const noted = ReadableStream.from(this.#noted(response.body));
    return new Response(noted as BodyInit, { status, statusText, headers });
  }

  /** Records the error of a broken response, because the library reports it only as text. */
  async *#noted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      this.#broken = error;
      throw error;
    }
  }

  #takesQuestion(id: string | number): boolean {
    if (this.#questions.has(id) || this.#questions.size === MAX_QUESTIONS) return false;
    this.#questions.add(id);
    return true;
  }

  #failUnanswered(id: string | number): void {
    if (!this.#open.delete(id)) return;
    const message = "the answer ended before the result had come";
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_603, message, data: this.#broken } });
  }

  #abort(id: unknown): void {
    const request = this.#open.get(id as string | number);
    this.#open.delete(id as string | number);
    request?.abort();
  }
}

function isListening(init: RequestInit): boolean {
  return init.method === "GET" && !new Headers(init.headers).has("last-event-id");
}
